import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { TestProject } from "vitest/node";
import { makeCertificates } from "./certificates.ts";
import { startClickHouse } from "./clickhouse.ts";
import { startKeycloak } from "./keycloak.ts";
import { startPostgres } from "./postgres.ts";
import { startSamba } from "./samba.ts";
import type { SharedPeers } from "./shared.ts";

const STARTERS: { readonly [Name in keyof SharedPeers]: () => Promise<SharedPeers[Name] & AsyncDisposable> } = {
	keycloak: startKeycloak,
	samba: startSamba,
	postgres: () => startPostgres(),
	clickhouse: () => startClickHouse(),
};

/** Lives as long as a run of the tests: starts each shared peer for the first who asks, and ends them all at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
	prepareCertificates();
	const started = new Map<string, Promise<AsyncDisposable>>();
	const server = createServer((request, response) => void answer(request.url?.slice(1) ?? "", response));
	await once(server.listen(0, "127.0.0.1"), "listening");
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP address");
	project.provide("sharedPeersPort", address.port);

	async function answer(name: string, response: ServerResponse): Promise<void> {
		if (!isShared(name)) {
			response.writeHead(404).end(`no shared peer ${name}`);
			return;
		}
		try {
			response.end(JSON.stringify(await start(name)));
		} catch (error) {
			response.writeHead(500).end(String(error));
		}
	}

	function start(name: keyof SharedPeers): Promise<AsyncDisposable> {
		const peer = started.get(name) ?? STARTERS[name]();
		started.set(name, peer);
		return peer;
	}

	// The slow one gets going while other tests run; who asks for it hears of a failure.
	if (process.env["E2E_PEERS"]?.includes("keycloak")) start("keycloak").catch(() => undefined);

	return async () => {
		server.closeAllConnections();
		server.close();
		const peers = await Promise.allSettled(started.values());
		for (const peer of peers) {
			if (peer.status === "fulfilled") await peer.value[Symbol.asyncDispose]();
		}
	};
}

/** Without them the tests that need one fail, and the others need none. */
function prepareCertificates(): void {
	try {
		makeCertificates();
	} catch (error) {
		process.stderr.write(`\nThe certificates of the tests could not be made: ${String(error)}\n`);
	}
}

function isShared(name: string): name is keyof SharedPeers {
	return name in STARTERS;
}
