/** SQL of a text that differs after each start and each crash of the server: a crash forgets its statistics, even when only one of its processes died. */
export const serverLife = 'CONCAT(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())';
