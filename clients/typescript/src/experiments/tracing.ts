import type { Spanward } from "../spanward.ts";

interface Traced {
	readonly name: string;
	/** Attribute of OpenInference. */
	readonly kind: "CHAIN" | "EVALUATOR";
	readonly input: unknown;
}

type Ended = { readonly output: unknown } | { readonly error: unknown };

/** Runs each task in a separate trace. */
export interface RunTracing extends AsyncDisposable {
	/** @returns the hex id of the trace in which `work` ran; null without tracing */
	run(traced: Traced, work: () => Promise<Ended>): Promise<string | null>;
}

const UNTRACED: RunTracing = {
	async run(_traced, work) {
		await work();
		return null;
	},
	async [Symbol.asyncDispose]() {},
};

/** Sends to the project what runs in it, when `@spanward/otel` is installed; spans of other libraries inside of a run belong to its trace. */
export async function openTracing(client: Spanward, project: string | null, wanted: boolean): Promise<RunTracing> {
	const libraries = wanted && project !== null ? await loadLibraries() : undefined;
	if (libraries === undefined || project === null) return UNTRACED;
	const { api, otel } = libraries;
	const provider = otel.createTracerProvider({
		projectName: project,
		endpoint: client.baseUrl,
		headers: client.headers,
		protocol: "http/protobuf",
	});
	otel.followContext();
	const tracer = provider.getTracer("@spanward/client");
	return {
		async run({ name, kind, input }, work) {
			const attributes = { "openinference.span.kind": kind, ...attributesOf("input", input) };
			return await tracer.startActiveSpan(name, { attributes, root: true }, async (span) => {
				const ended = await work();
				if ("output" in ended)
					span.setAttributes(attributesOf("output", ended.output)).setStatus({ code: api.SpanStatusCode.OK });
				else {
					const error = ended.error instanceof Error ? ended.error : new Error(String(ended.error));
					span.recordException(error);
					span.setStatus({ code: api.SpanStatusCode.ERROR, message: error.message });
				}
				span.end();
				return span.spanContext().traceId;
			});
		},
		async [Symbol.asyncDispose]() {
			// The results are stored even if their traces cannot be sent.
			await provider.shutdown().catch((error: unknown) => api.diag.error("traces of runs were not sent", error));
		},
	};
}

async function loadLibraries() {
	if (!("process" in globalThis)) return undefined;
	try {
		const [otel, api] = await Promise.all([
			load<typeof import("@spanward/otel")>("@spanward/otel"),
			load<typeof import("@opentelemetry/api")>("@opentelemetry/api"),
		]);
		return { otel, api };
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
		throw error;
	}
}

/** With the name as a value: bundlers of web pages would follow it otherwise, into what only Node has. */
async function load<Module>(name: string): Promise<Module> {
	return (await import(/* @vite-ignore */ name)) as Module;
}

function attributesOf(side: "input" | "output", value: unknown): Record<string, string> {
	const isText = typeof value === "string";
	return {
		[`${side}.value`]: isText ? value : (JSON.stringify(value) ?? "null"),
		[`${side}.mime_type`]: isText ? "text/plain" : "application/json",
	};
}
