// A person at a browser: follows redirects with cookies, and says `yes` or `no` where asked; with
// `liar` somebody else comes to the last page first, with another state.

const [answer, start] = process.argv.slice(2);
const cookies = new Map();

let address = new URL(start);
for (let step = 0; step < 20; step += 1) {
  const asked = address.pathname.startsWith('/ask/') && address.pathname.split('/').length === 3;
  if (asked) address.pathname += answer === 'no' ? '/no' : '/yes';
  if (address.pathname === '/callback' && answer === 'liar') {
    const forged = new URL(address);
    forged.searchParams.set('state', 'forged');
    forged.searchParams.set('code', 'stolen');
    const turned = await fetch(forged);
    if (turned.status !== 400) throw new Error(`the forged state got ${turned.status}`);
  }
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const page = await fetch(address, { redirect: 'manual', headers: { cookie } });
  for (const line of page.headers.getSetCookie()) {
    const [name, ...value] = line.split(';')[0].split('=');
    cookies.set(name, value.join('='));
  }
  const next = page.headers.get('location');
  if (!next) {
    console.log(page.status, await page.text());
    break;
  }
  address = new URL(next, address);
}
