import { EventEmitter } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { actIn } from "#access/auth/act-as.ts";
import { SecretBox } from "#access/auth/secret-box.ts";
import type { SigningKeys } from "#access/auth/signing-keys.ts";
import { createSeededClients } from "#access/authorization-server/clients.ts";
import { createAuth } from "#access/create-auth.ts";
import { acceptSecret } from "#access/secrets/canary.ts";
import { createMissingAccounts } from "#access/users/missing-accounts.ts";
import type { Config } from "#base/config.ts";
import { createOutgoing } from "#base/outgoing/create-outgoing.ts";
import { listenHost } from "#base/settings/derived.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import { readTls, servesTls } from "#base/settings/tls-material.ts";
import { CodePool } from "#evaluation/code/code-pool.ts";
import { storedLessons } from "#evaluation/judge/stored-lessons.ts";
import type { App } from "#http/app-type.ts";
import { followCertificates } from "#http/certificates.ts";
import { listenError } from "#http/listen-error.ts";
import { hostInUrl } from "#http/origins.ts";
import { VERSION } from "#http/versions.ts";
import { authorizeExports } from "#ingest/authorize-exports.ts";
import { createIngest } from "#ingest/create-ingest.ts";
import { IngestHistory } from "#ingest/history/ingest-history.ts";
import { admitEveryExport, listenGrpc } from "#ingest/receive-grpc.ts";
import { syncDeclared } from "#models/connections/sync-declared.ts";
import { createCaller } from "#models/create-caller.ts";
import { Metrics } from "#operations/metrics/metrics.ts";
import { SelfTracing } from "#operations/self-tracing/self-tracing.ts";
import { StorageCapacity } from "#operations/storage-capacity/storage-capacity.ts";
import type { Database } from "#storage/database.ts";
import { openStorage } from "#storage/open-storage.ts";
import { listOwnPrices } from "#storage/own-prices.ts";
import { buildApp } from "./app.ts";
import { startBackgroundJobs } from "./background-jobs.ts";
import type { Context, WritingContext } from "./context.ts";

const WEB_FOLDER = join(import.meta.dirname, "../../web/dist");
const GRACE_MS = 4_000;
/** How long to wait for a PostgreSQL server that is starting at the same time. */
const DATABASE_WAIT_MS = 20_000;
/** Seconds within which load balancers ask again whether a server is ready. */
const DRAIN_SECONDS = 3;

export interface Server extends AsyncDisposable {
	/** `http://127.0.0.1:6006`, or `https`, with the root path. */
	readonly address: string;
	readonly grpcPort: number;
	/**
	 * Call it before disposing: for `SERVICE_DRAIN_SECONDS` it takes requests as before, while it says that it is not
	 * ready and ends connections with their next answers.
	 */
	drain(): Promise<void>;
}

/**
 * Opens the storage and listens on HTTP and gRPC. Disposing takes no more requests, finishes those that run, writes
 * what is queued and closes the storage.
 * @throws ConfigError when settings do not fit what is stored or a route declares no access policy; Error with a
 * sentence that names the setting to change, when the folder is in use or a port is taken
 */
export async function startServer(config: Config, log: Context["log"]): Promise<Server> {
	const host = listenHost(config);
	const serves = servesTls(config);
	const { material: tls } = readTls(config);
	await using opened = new AsyncDisposableStack();
	const stopping = new AbortController();
	const context = opened.use(await openContext(config, log, stopping.signal));
	opened.use(startBackgroundJobs(context));
	// Everything is ready before anything listens.
	let grpcPort = config.SERVICE_GRPC_PORT;
	const app = await buildApp(context, {
		webFolder: WEB_FOLDER,
		grpcPort: () => grpcPort,
		...(serves.http && tls !== undefined ? { tls } : {}),
	});
	let httpIsClosed: Promise<void> | undefined;
	const closeApp = () => (httpIsClosed ??= closeHttp(app));
	opened.defer(closeApp);
	await app.ready();
	await recordStart(context);
	const grpc = await listenGrpc({
		config,
		host,
		ingest: context.ingest,
		log,
		authorize: context.auth.enabled
			? authorizeExports(context.auth, actIn(context), (error) => context.ingest.countDenial(error))
			: admitEveryExport,
		onStored: (principal, spans) => context.auth.keyUses.countSpans(principal, spans),
		...(serves.grpc && tls !== undefined ? { tls } : {}),
	});
	// At the same time, as each waits some seconds for stalled clients.
	opened.defer(async () => {
		await Promise.all([closeApp(), grpc[Symbol.asyncDispose]()]);
	});
	grpcPort = grpc.port;
	context.outgoing.addOwnPort(grpc.port);
	const origin = await listen(app, host, config.SERVICE_PORT, serves.http ? "https" : "http");
	context.outgoing.addOwnPort(Number(new URL(origin).port) || config.SERVICE_PORT);
	const address = `${origin}${config.SERVICE_HOST_ROOT_PATH}`;
	if (tls !== undefined) opened.use(followCertificates(config, [app.server, grpc], log));
	log.info({ address, grpcPort: grpc.port, folder: config.SERVICE_WORKING_DIR }, "listening");
	const running = opened.move();
	return {
		address,
		grpcPort: grpc.port,
		async drain() {
			const seconds = config.SERVICE_DRAIN_SECONDS ?? (context.db.isShared ? DRAIN_SECONDS : 0);
			if (seconds === 0) return;
			stopping.abort();
			grpc.drain();
			await sleep(seconds * 1_000);
		},
		async [Symbol.asyncDispose]() {
			stopping.abort();
			await running.disposeAsync();
		},
	};
}

async function recordStart({ auth }: WritingContext): Promise<void> {
	const details = { version: VERSION, authentication: auth.enabled };
	await auth.audit.record({ action: "service.start", outcome: "success", details });
}

/** What handlers use, on the storage that the settings name. */
export async function openContext(
	config: Config,
	log: Context["log"],
	stopping = new AbortController().signal,
): Promise<WritingContext & AsyncDisposable> {
	const now = () => Date.now() * 1_000;
	await using opened = new AsyncDisposableStack();
	const tell = (sentence: string) => log.info(sentence);
	const storage = opened.use(await openStorage(config, postgresSettings(config), tell, DATABASE_WAIT_MS));
	const auth = opened.use(createAuth(config, storage.db, log, now));
	if (auth.keys !== undefined) await checkSecret(storage.db, auth.keys, log);
	await syncDeclared(storage.db, config.SERVICE_MODEL_CONNECTIONS, now());
	if (auth.enabled) {
		await createMissingAccounts({ config, db: storage.db, auth, log, now });
		await createSeededClients({ db: storage.db, now });
		await auth.sessions.endRefused();
		await auth.sessions.applyLives();
	}
	const outgoing = opened.use(createOutgoing(config));
	const tracing = opened.use(new SelfTracing(config, log));
	// What was counted is written down once nothing is received any more.
	const history = opened.use(new IngestHistory({ db: storage.db, log, now }, `${hostname()}:${config.SERVICE_PORT}`));
	const ingest = opened.use(
		createIngest(config, {
			storage,
			onCounts: (counts) => history.note(counts),
			onChange: (change) => storage.notify(change),
			rights: auth.rights,
			...(tracing.isOn ? { onGroup: (report) => tracing.recordGroup(report) } : {}),
			...(config.SERVICE_ENABLE_PROMETHEUS ? { onStatements: (done) => metrics.countStatements(done) } : {}),
			log,
			now,
		}),
	);
	// Nothing may be received before prices and limits are known. The writer's thread already runs.
	await ingest.usePrices(() => storage.db.write(listOwnPrices));
	opened.defer(storage.onReachable((isReachable) => ingest.setReachable("database", isReachable)));
	const ofTraces = storage.onTracesReachable?.((isReachable) => ingest.setReachable("traces", isReachable));
	if (ofTraces !== undefined) opened.defer(ofTraces);
	const capacity = new StorageCapacity({ config, usedBytes: () => storage.usedBytes(), ingest, now });
	await capacity.measure();
	const metrics = opened.use(new Metrics(config, storage, ingest, auth, now, log));
	const base = { config, db: storage.db, auth, outgoing, ingest, capacity, metrics, log, stopping, now };
	const models = opened.use(await createCaller(base));
	const code = opened.use(new CodePool(config.SERVICE_CODE_EVALUATOR_WORKERS, metrics.code));
	const running = opened.move();
	return {
		...base,
		discard: {
			write: (work) => storage.db.write(work),
			deleteProject: (projectId) => storage.traces.deleteProject(projectId),
		},
		cluster: metrics.watch(storage.cluster),
		models,
		lessons: storedLessons(storage.db),
		traces: storage.traces,
		place: storage.place,
		repairs: storage.repairs,
		spend: storage.spend,
		sentIds: storage.sentIds,
		upkeep: storage.upkeep,
		events: new EventEmitter(),
		code,
		tracing,
		[Symbol.asyncDispose]: () => running.disposeAsync(),
	};
}

async function checkSecret(db: Database, keys: SigningKeys, log: Context["log"]): Promise<void> {
	const { renewed, damaged } = await acceptSecret(db, keys, new SecretBox(keys));
	if (renewed > 0) log.info({ renewed }, "encrypted the stored secrets with the current SERVICE_SECRET");
	const { secrets, credentials } = damaged;
	if (secrets.length > 0) log.error({ keys: secrets }, "these stored secrets cannot be decrypted; store them again");
	if (credentials.length > 0) {
		const names = credentials.map(({ connection, field }) => `${connection.name}: ${field}`);
		log.error({ names }, "these credentials of model connections cannot be decrypted; enter them again");
	}
}

/** Lets running requests end, but only for some seconds: a stalled upload would hold up the stop. */
async function closeHttp(app: App): Promise<void> {
	const force = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
	await app.close();
	clearTimeout(force);
}

async function listen(app: App, host: string, port: number, scheme: "http" | "https"): Promise<string> {
	try {
		await app.listen({ host, port });
	} catch (error) {
		throw listenError(error, host, port, "SERVICE_PORT");
	}
	const address = app.server.address();
	if (address === null || typeof address === "string") throw new Error("HTTP listens on no port");
	const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
	return `${scheme}://${hostInUrl(name)}:${address.port}`;
}
