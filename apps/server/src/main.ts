// Nothing is imported before the version is checked: what is imported may need it.
const REQUIRED_MAJOR = 26;
/** EX_CONFIG of sysexits.h: a setting is wrong. */
const EXIT_SETTINGS = 78;
const STOP_MS = 10_000;
/** A terminal, npm and a service manager may each pass on the same signal; one that comes later is meant. */
const SAME_SIGNAL_MS = 1_000;

if (Number(process.versions.node.split(".", 1)[0]) < REQUIRED_MAJOR) {
	fail(
		1,
		`Spanward needs Node ${REQUIRED_MAJOR} or newer, and this is ${process.version}; run npm start, which uses its own Node.`,
	);
}

// Compiled code is cached, so that a later start neither strips types nor compiles: faster, and 30 MB less. Threads
// read the variable.
const { enableCompileCache, flushCompileCache } = await import("node:module");
const { readdirSync } = await import("node:fs");
process.env["NODE_COMPILE_CACHE"] ??= `${import.meta.dirname}/../../../node_modules/.cache/compiled`;
const { directory } = enableCompileCache(process.env["NODE_COMPILE_CACHE"]);
const isCompiled = directory !== undefined && readdirSync(directory).length > 0;

const { createLog } = await import("#base/log.ts");
const { ConfigError, forgetLibraryVariables, forgetSecrets, readConfig, settingWarnings } = await import(
	"#base/config.ts"
);
const config = readSettings();
const warnings = settingWarnings(config, process.env);
// Threads and reports get a copy of the environment.
forgetSecrets(process.env);
forgetLibraryVariables(process.env);
// What was read of the cache stays in memory until it is flushed. Flushed part by part, one part makes room for the next: 10
// MB less. Without a cache there is nothing to free, and what is to be written would delay the first start.
for (const part of [
	"fastify",
	"kysely",
	"#storage/open-storage.ts",
	"#access/create-auth.ts",
	"#ingest/create-ingest.ts",
	"#resources/evaluators/routes.ts",
	"#resources/experiments/routes.ts",
	"./app.ts",
	"./server.ts",
]) {
	if (isCompiled) flushCompileCache();
	await import(part);
}
if (isCompiled) flushCompileCache();
const { startServer } = await import("./server.ts");
const { returnStartGarbageSoon } = await import("#base/start-garbage.ts");
const log = createLog(config.SERVICE_LOG_LEVEL);
for (const warning of warnings) log.warn(warning);
process.on("uncaughtException", (error) => {
	log.fatal({ err: error }, "stopping after an unhandled error");
	process.exit(1);
});

const server = await startServer(config, log).catch((error: unknown) => {
	if (error instanceof ConfigError) fail(EXIT_SETTINGS, error.message);
	log.debug({ err: error }, "the start failed");
	fail(1, `Spanward cannot start: ${error instanceof Error ? error.message : String(error)}`);
});
let stoppingSince: number | undefined;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
	process.on(signal, () => {
		if (stoppingSince === undefined) void stop(signal);
		else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
	});
}
setTimeout(flushCompileCache, 1_000).unref();
returnStartGarbageSoon();
process.stdout.write(`Spanward is ready: ${server.address} (OTLP/gRPC on port ${server.grpcPort})\n`);

function readSettings() {
	try {
		return readConfig(process.env);
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		fail(EXIT_SETTINGS, error.message);
	}
}

/**
 * Logs that it stops, then takes no more requests, finishes those that run, and writes what is queued. Another signal,
 * at least a second later, stops at once.
 */
async function stop(signal: "SIGTERM" | "SIGINT"): Promise<void> {
	stoppingSince = performance.now();
	log.info({ signal }, "stopping");
	const late = setTimeout(() => {
		log.error(`requests were still running after ${STOP_MS / 1_000} s; stopping anyway`);
		process.exit(1);
	}, STOP_MS);
	// A person who stops it is not kept waiting.
	if (signal === "SIGTERM") await server.drain();
	await server[Symbol.asyncDispose]();
	clearTimeout(late);
	log.info("stopped");
}

function fail(code: number, message: string): never {
	process.stderr.write(`${message}\n`);
	process.exit(code);
}
