// A scripted browser: follows redirects with cookies and answers consent pages with `yes` or `no`.
// With `forged` it first opens the callback page with a forged state, which must be refused.

const [answer, start] = process.argv.slice(2);
const cookies = new Map();

let address = new URL(start);
for (let step = 0; step < 20; step += 1) {
  const isPrompt = address.pathname.startsWith('/ask/') && address.pathname.split('/').length === 3;
  if (isPrompt) address.pathname += answer === 'no' ? '/no' : '/yes';
  if (address.pathname === '/callback' && answer === 'forged') {
    const forgedUrl = new URL(address);
    forgedUrl.searchParams.set('state', 'forged');
    forgedUrl.searchParams.set('code', 'stolen');
    const response = await fetch(forgedUrl);
    if (response.status !== 400) throw new Error(`expected status 400 for the forged state, got ${response.status}`);
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
