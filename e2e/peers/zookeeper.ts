import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../server.ts";
import { ZOOKEEPER_FOLDER } from "./missing.ts";
import { listens, PeerProcess } from "./process.ts";

const READY_WITHIN_MS = 300_000;

/** Apache ZooKeeper, which is a Keeper to ClickHouse. */
export interface ZooKeeper extends AsyncDisposable {
	readonly port: number;
}

/** `await using zookeeper = await startZooKeeper();` */
export async function startZooKeeper(): Promise<ZooKeeper> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-zookeeper-"));
	const port = await freePort();
	const config = join(folder, "zoo.cfg");
	const settings = {
		...{ tickTime: 2_000, dataDir: join(folder, "data"), clientPort: port, clientPortAddress: "127.0.0.1" },
		...{ "admin.enableServer": false, maxClientCnxns: 0 },
	};
	await writeFile(
		config,
		Object.entries(settings)
			.map((setting) => `${setting.join("=")}\n`)
			.join(""),
	);
	const main = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
	const process = await PeerProcess.start({
		name: "zookeeper",
		command: "/usr/bin/java",
		args: ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", join(ZOOKEEPER_FOLDER, "*"), main, config],
		isReady: () => listens(port),
		readyWithinMs: READY_WITHIN_MS,
	});
	return {
		port,
		async [Symbol.asyncDispose]() {
			await process[Symbol.asyncDispose]();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
