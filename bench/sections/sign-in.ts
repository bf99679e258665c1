import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { asAdmin, startWithAuth } from "../../e2e/access/accounts.ts";
import { type OidcProvider, startOidcProvider } from "../../e2e/peers/oidc-provider.ts";
import { startSlapd } from "../../e2e/peers/slapd.ts";
import type { TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { sampleLatency } from "../latency.ts";

const LOG_INS = 300;
const WARM_UP = 20;
const CROWD = 50;
const SIGN_INS = 100;
/** Of a sign-in with a provider: the page is left for it, and comes back with a code. */
const OWN_ROUND_TRIPS = 2;

/** What logging in by a directory and by a provider costs, and everybody else while a directory stalls. */
export async function measureSignIn(): Promise<Figure[]> {
	return [...(await measureDirectory()), ...(await measureStallingDirectory()), ...(await measureProvider())];
}

async function measureDirectory(): Promise<Figure[]> {
	await using slapd = await startSlapd();
	await using server = await startWithAuth(slapd.settings, undefined, { inProcess: false });
	const times = await timeEach(WARM_UP + LOG_INS, () => logIn(server));
	const counted = times.slice(WARM_UP);
	const detail = `${counted.length} log-ins one after the other: OpenLDAP on this machine, StartTLS, two connections each`;
	return [
		{ name: "LDAP log-in, p50", value: quantile(counted, 0.5), unit: "ms", target: { atMost: 60 }, detail },
		{ name: "LDAP log-in, p95", value: quantile(counted, 0.95), unit: "ms", target: { atMost: 150 }, detail },
	];
}

async function logIn(server: TestServer): Promise<void> {
	const status = await tryLogIn(server);
	if (status !== 204) throw new Error(`the log-in answered ${status}:\n${server.output}`);
}

async function tryLogIn(server: TestServer, username = "alice"): Promise<number> {
	const response = await fetch(`${server.url}/auth/ldap/login`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ username, password: "alice-pw" }),
	});
	await response.arrayBuffer();
	return response.status;
}

/** A directory that takes connections and never says a word; everybody else asks for what they always do. */
async function measureStallingDirectory(): Promise<Figure[]> {
	const sockets = new Set<Socket>();
	const directory = createServer((socket) => {
		sockets.add(socket.on("error", () => undefined));
	});
	await once(directory.listen(0, "127.0.0.1"), "listening");
	const address = directory.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP address");
	try {
		await using slapd = await startSlapd();
		await using server = await startWithAuth(
			{ ...slapd.settings, SERVICE_LDAP_PORT: String(address.port) },
			undefined,
			{ inProcess: false },
		);
		const key = (await asAdmin(server).data("POST", "/v1/system/api_keys", { data: { name: "bench" } })).key;
		const reading = sampleLatency(`${server.url}/v1/projects`, 5, { authorization: `Bearer ${key}` });
		const start = performance.now();
		const names = Array.from({ length: CROWD }, (_, number) => `user-${number}`);
		const statuses = await Promise.all(names.map((name) => tryLogIn(server, name)));
		const lasted = performance.now() - start;
		const times = await reading.stop();
		const answers = Object.entries(Object.groupBy(statuses, String)).map(
			([status, all]) => `${all?.length ?? 0} answered ${status}`,
		);
		return [
			{
				name: `p99 of GET /v1/projects while ${CROWD} log in and the directory stalls`,
				value: quantile(times, 0.99),
				unit: "ms",
				target: { atMost: 200 },
				detail: `${times.length} requests in ${formatNumber(lasted / 1_000)} s; ${answers.join(", ")}`,
			},
		];
	} finally {
		for (const socket of sockets) socket.destroy();
		directory.close();
	}
}

async function measureProvider(): Promise<Figure[]> {
	await using provider = await startOidcProvider();
	await using server = await startWithAuth(provider.settings(), undefined, { inProcess: false });
	provider.allow([server.url]);
	for (let n = 0; n < WARM_UP; n++) await signIn(server);
	provider.requests.length = 0;
	const runs: SignIn[] = [];
	for (let n = 0; n < SIGN_INS; n++) runs.push(await signIn(server));
	const added = runs.map(({ added }) => added);
	const calls = countServerCalls(provider) / runs.length;
	return [
		{
			name: "round trips of a browser that a sign-in with a provider adds to the provider's own",
			value: Math.max(...runs.map(({ roundTrips }) => roundTrips)),
			unit: "",
			target: { atMost: OWN_ROUND_TRIPS },
			detail: "there and back again, from the start to the way back to the page; oidc-provider",
		},
		{
			name: "requests of the server to the provider in a sign-in",
			value: calls,
			unit: "",
			target: { atMost: 1 },
			detail: "the tokens; what discovery and keys say is kept, and userinfo asked only for what is missing",
		},
		{
			name: "time of a sign-in that is not the provider's pages, p50",
			value: quantile(added, 0.5),
			unit: "ms",
			target: { atMost: 60 },
			detail: `${added.length} sign-ins, the token request to the provider included; p95 ${formatNumber(quantile(added, 0.95))} ms`,
		},
	];
}

interface SignIn {
	/** Requests to the server. */
	readonly roundTrips: number;
	/** Milliseconds that they took. */
	readonly added: number;
}

/** Goes the way of a browser from the start to the answer that leads to the page. */
async function signIn(server: TestServer): Promise<SignIn> {
	const cookies = new Map<string, Map<string, string>>();
	let [roundTrips, added] = [0, 0];
	let url = `${server.url}/oauth2/oidc/login`;
	for (;;) {
		const { host } = new URL(url);
		const ofHost = cookies.get(host) ?? new Map<string, string>();
		cookies.set(host, ofHost);
		const cookie = [...ofHost].map(([name, value]) => `${name}=${value}`).join("; ");
		const start = performance.now();
		const response = await fetch(url, { redirect: "manual", headers: { cookie } });
		await response.arrayBuffer();
		if (url.startsWith(server.url)) {
			added += performance.now() - start;
			roundTrips++;
		}
		for (const line of response.headers.getSetCookie()) {
			const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			ofHost.set(name, value);
		}
		const location = response.headers.get("location");
		if (location === null) throw new Error(`${url} answered ${response.status}`);
		url = new URL(location, url).href;
		if (url.includes("error=")) throw new Error(`the sign-in ended at ${url}:\n${server.output}`);
		if (url === `${server.url}/`) return { roundTrips, added };
	}
}

/** Requests that come of the server, not of a browser: everything but the pages. */
function countServerCalls({ requests }: OidcProvider): number {
	return requests.filter((line) => !/^\w+ \/(auth|interaction)\b/.test(line)).length;
}

async function timeEach(count: number, run: () => Promise<void>): Promise<number[]> {
	const times: number[] = [];
	for (let n = 0; n < count; n++) {
		const start = performance.now();
		await run();
		times.push(performance.now() - start);
		await sleep(1);
	}
	return times;
}
