/** Errors of bringing another product's database here, part of the table in errors.ts. */
export const importErrors = {
  import_source_invalid: {
    status: 200,
    zh: '来源应为服务器上的 SQLite 文件路径，或 mysql://、postgres:// 地址',
    en: 'The source is a path of a SQLite file on the server, or an address mysql://... or postgres://...',
  },
  import_running: { status: 200, zh: '导入正在进行中，请等待其完成', en: 'An import is under way already: wait for its end' },
  import_elsewhere: {
    status: 200,
    zh: '导入正在另一节点上运行，只能在该节点停止',
    en: 'The import runs on another node and can only be stopped there',
  },
} as const;
