/** Passwords of 8 characters and more that head every published list; shorter ones are refused by length. Lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  00000000 0000000000 0123456789 10203040 102030405060 11110000 11111111 111111111 1111111111 11112222 11223344
  1122334455 112233445566 12121212 123123123 123321123 12341234 12344321 1234512345 123454321 1234554321 12345678
  123456780 123456789 1234567890 1234567890a 12345678910 123456789a 123456789q 12345678a 12345679 1234567a 1234567q
  123456aa 123456ab 123456abc 123456qq 123456qwerty 12345qwert 1234abcd 1234qwer 123654789 123789456 123qwe123 123qweasd
  123qweasdzxc 13131313 13145200 1314520520 147258369 147852369 159357258 159753456 159951159 1q2w3e4r 1q2w3e4r5t
  1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx 1qaz2wsx3edc 20002000 20102010 20202020 20212021 20222022 20232023 20242024
  20252025 22222222 321321321 33333333 44444444 456789123 52013140 5201314520 5201314a 55555555 66666666 666666666
  741852963 77777777 78945612 789456123 87654321 88888888 888888888 88888889 98765432 987654321 9876543210 99887766
  99999999 a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5 a1s2d3f4 aa123456 aa12345678 aaaa1111 abc12345 abc123456
  abc123abc abcabcabc abcd1234 abcd12345 abcdefg1 abcdefgh abcdefghi access14 admin123 admin1234 admin12345 admin123456
  adminadmin administrator administrator1 adminpassword alexander alexandra angel123 apikey123 arsenal1 asd12345
  asd123456 asdasdasd asdf1234 asdf12345 asdfasdf asdfghjk asdfghjkl asdfqwer asshole1 autumn2024 babygirl babygirl1
  bailey123 barcelona barcelona1 baseball baseball1 basketball batman123 benjamin bigdaddy biteme123 blahblah blink182
  budweiser bulldogs bullshit bullshit1 buster123 butterfly changeme changeme1 changeme123 charlie1 chatgpt123 cheese123
  chelsea1 cheyenne chocolate christopher computer computer1 cookie123 corvette cowboys1 danielle database december
  default1 default123 dolphins dragon12 dragon123 eagles123 elizabeth facebook facebook1 february flower123 football
  football1 football12 fortnite freedom1 fuckme123 fuckyou1 fuckyou123 fuckyou2 gandalf1 gateway1 gateway123 ginger123
  google123 guest123 guestguest guinness happy123 heineken hello123 hello1234 hellohello helloworld hunter123 ilovegod
  ilovehim ilovejesus iloveu123 iloveyou iloveyou1 iloveyou123 iloveyou2 internet internet1 jackdaniels january1
  jennifer jennifer1 jessica1 jonathan jordan23 killer123 kissmyass lakers24 letmein1 letmein123 letmeinnow li123456
  linkedin liverpool liverpool1 login123 lovelove loveme123 loveyou1 lucky123 maggie123 manchester marlboro master123
  matrix123 maverick mercedes merlin123 michael1 michelle midnight minecraft monkey12 monkey123 motherfucker mustang1
  mypassword mypassword1 myspace1 mysql123 ncc1701d ncc1701e newpassword nintendo november october1 openai123 oracle123
  p@ssw0rd p@ssw0rd1 p@ssw0rd123 p@ssword pa$$word pa55word packers1 panthers pass1234 pass12345 pass123456 passpass
  passpass1 passw0rd passw0rd1 password password1 password12 password123 password1234 password12345 password123456
  passwords passwort patriots pepper123 phoenix1 pokemon1 pokemon123 postgres postgres1 princess princess1 q1w2e3r4
  q1w2e3r4t5 q1w2e3r4t5y6 qazwsx123 qazwsxedc qazwsxedcrfv qq123456 qq123456789 qwe12345 qwe123456 qweasd123 qweasdzxc
  qweqweqwe qwer1234 qwer12345 qwert123 qwert1234 qwert12345 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456
  qwertyui qwertyuiop raiders1 ranger123 realmadrid redskins rockstar root1234 root12345 root123456 rootpassword
  rootroot samsung1 samsung123 secret12 secret123 september server123 service1 shadow123 sk-12345678 skittles skywalker
  smile123 snickers spiderman spring2024 startrek starwars starwars1 steelers stephanie strawberry summer12 summer123
  summer2023 summer2024 sunshine sunshine1 superman superman1 support1 system123 temp1234 temppass test1234 test12345
  test123456 testing1 testing123 testpassword testtest tigger12 tollgate tollgate1 tollgate123 trustno1 trustnoone
  userpassword victoria wang1234 welcome1 welcome12 welcome123 welcome1234 whatever whatever1 winter12 winter123
  winter2023 winter2024 wizard123 woaini123 woaini1314 woaini520 woaiwojia wodemima yankees1 youtube1 zhang123 zxc12345
  zxc123456 zxcvasdf zxcvbnm1 zxcvbnm123 zxcvbnma
  `
    .trim()
    .split(/\s+/),
);
