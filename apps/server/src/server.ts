import { join } from "node:path";
import { buildApp } from "./app.ts";
import { createAuth } from "./auth/auth.ts";
import { createMissingAccounts } from "./auth/bootstrap.ts";
import type { Config } from "./config.ts";
import type { Context } from "./context.ts";
import type { App } from "./http/app-type.ts";
import { createIngest } from "./ingest/create-ingest.ts";
import { admitEveryExport, listenGrpc } from "./ingest/receive-grpc.ts";
import { openSqlite } from "./storage/sqlite/open-sqlite.ts";

const WEB_FOLDER = join(import.meta.dirname, "../../web/dist");
const GRACE_MS = 4_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

export interface Server extends AsyncDisposable {
	/** `http://127.0.0.1:6006`, with the root path. */
	readonly address: string;
	readonly grpcPort: number;
}

/**
 * Opens the storage and listens on HTTP and gRPC. Disposing takes no more requests, finishes those that run, writes what
 * is queued and closes the storage.
 * @throws Error with a sentence that names the setting to change, when the folder is in use or a port is taken
 */
export async function startServer(config: Config, log: Context["log"]): Promise<Server> {
	const host = config.SERVICE_HOST ?? (config.SERVICE_ENABLE_AUTH ? "0.0.0.0" : "127.0.0.1");
	if (!config.SERVICE_ENABLE_AUTH && !LOOPBACK.test(host)) {
		log.warn(
			{ host },
			"SERVICE_HOST lets other machines in while authentication is off: whoever reaches it reads and deletes everything",
		);
	}
	await using opened = new AsyncDisposableStack();
	const context = opened.use(await openContext(config, log));
	const grpc = opened.use(await listenGrpc({ config, host, ingest: context.ingest, log, authorize: admitEveryExport }));
	const app = await buildApp(context, { webFolder: WEB_FOLDER, grpcPort: grpc.port });
	opened.defer(() => closeHttp(app));
	const address = `${await listen(app, host, config.SERVICE_PORT)}${config.SERVICE_HOST_ROOT_PATH}`;
	log.info({ address, grpcPort: grpc.port, folder: config.SERVICE_WORKING_DIR }, "listening");
	const running = opened.move();
	return { address, grpcPort: grpc.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** What handlers use, on the storage in the working folder. */
export async function openContext(config: Config, log: Context["log"]): Promise<Context & AsyncDisposable> {
	const now = () => Date.now() * 1_000;
	await using opened = new AsyncDisposableStack();
	const storage = opened.use(await openSqlite(config, (sentence) => log.info(sentence)));
	const auth = opened.use(createAuth(config, storage.db, log, now));
	if (auth.enabled) {
		await createMissingAccounts({ config, db: storage.db, auth, log, now });
		await auth.sessions.endRefused();
	}
	const ingest = opened.use(
		createIngest(config, { storage: storage.writerOptions, onChange: (change) => storage.notify(change), log, now }),
	);
	const running = opened.move();
	return {
		config,
		db: storage.db,
		auth,
		traces: storage.traces,
		ingest,
		log,
		now,
		[Symbol.asyncDispose]: () => running.disposeAsync(),
	};
}

/** Lets running requests end, for some seconds: an upload that stalls would hold up the end. */
async function closeHttp(app: App): Promise<void> {
	const force = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
	await app.close();
	clearTimeout(force);
}

async function listen(app: App, host: string, port: number): Promise<string> {
	try {
		await app.listen({ host, port });
	} catch (error) {
		throw listenError(error, host, port);
	}
	const address = app.server.address();
	if (address === null || typeof address === "string") throw new Error("HTTP listens on no port");
	const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
	return `http://${name.includes(":") ? `[${name}]` : name}:${address.port}`;
}

function listenError(error: unknown, host: string, port: number): unknown {
	if (!(error instanceof Error) || !("code" in error)) return error;
	switch (error.code) {
		case "EADDRINUSE":
			return new Error(`port ${port} on ${host} is taken; set SERVICE_PORT to a free one`, { cause: error });
		case "EACCES":
			return new Error(`port ${port} needs more rights than this process has; set SERVICE_PORT to one above 1023`, {
				cause: error,
			});
		case "EADDRNOTAVAIL":
		case "ENOTFOUND":
			return new Error(`this machine has no address ${host}; set SERVICE_HOST to one it has`, { cause: error });
		default:
			return error;
	}
}
