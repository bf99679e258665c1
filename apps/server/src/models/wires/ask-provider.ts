import type { OpenConnection } from "../connection.ts";
import { ModelError } from "../model-error.ts";
import type { ModelAnswer, ModelDelta, ModelRequest, PartialAnswer } from "../model-request.ts";
import { addressOf } from "./address.ts";
import { AccessTokens } from "./credentials/access-tokens.ts";
import { cancellation } from "./errors/cancellation.ts";
import { type Hide, hiderOf } from "./errors/hide-credentials.ts";
import { ofOutgoing } from "./errors/of-outgoing.ts";
import { quoteOf } from "./errors/provider-error.ts";
import { withLanguageModel } from "./language-model.ts";
import { AnswerSoFar, readStream, readWhole } from "./read-answer.ts";
import { type PreparedCall, toCall } from "./request/to-call.ts";
import type { Seen } from "./streams/checked-stream.ts";
import { wireOf } from "./wire.ts";
import { wireFetch } from "./wire-fetch.ts";

export interface AskOptions {
	/** The guarded one, with the connection's timeout. */
	readonly fetch: typeof fetch;
	readonly signal: AbortSignal;
	/** Called for each piece; the answer is not streamed where absent. */
	readonly onDelta?: (delta: ModelDelta) => void;
	/** Keeps tokens for Vertex and Entra from call to call; without it each call asks for one. */
	readonly tokens?: AccessTokens;
}

/**
 * Asks a model once, and gives its answer when it is whole. Rejects with a {@link ModelError}, which has what came
 * before as `partial`.
 */
export async function askProvider(
	connection: OpenConnection,
	request: ModelRequest,
	options: AskOptions,
): Promise<ModelAnswer> {
	const seen: Seen = {};
	const answer = new AnswerSoFar(options.onDelta);
	const hide = { current: hiderOf(connection) };
	let call: PreparedCall | undefined;
	try {
		call = toCall(wireOf(connection), connection.kind, request);
		await ask(connection, request.model, { call, answer, seen, hide, options });
		// The library takes an answer that ended too early for a whole one.
		if (seen.error !== undefined) throw seen.error;
	} catch (error) {
		throw failureOf(error, { connection, call, answer, seen, hide: hide.current, options });
	}
	const signed = answer.signed.partsFor(wireOf(connection));
	return {
		text: answer.text,
		reasoning: answer.reasoning,
		tool_calls: answer.toolCalls,
		...(signed === undefined ? {} : { signed_reasoning: signed }),
		finish_reason: answer.finishReason,
		...(answer.usage === undefined ? {} : { usage: answer.usage }),
		model: seen.model ?? request.model,
		warnings: [...new Set([...call.warnings, ...answer.warnings])],
	};
}

interface Asking {
	readonly call: PreparedCall;
	readonly answer: AnswerSoFar;
	readonly seen: Seen;
	/** Knows tokens, too, once there are some. */
	readonly hide: { current: Hide };
	readonly options: AskOptions;
}

async function ask(connection: OpenConnection, model: string, asking: Asking): Promise<void> {
	const { call, answer, seen, hide, options } = asking;
	const { fetch, signal, onDelta, tokens = new AccessTokens() } = options;
	const token = await tokens.tokenOf(connection, { fetch, signal });
	if (token !== undefined) hide.current = hiderOf(connection, [token]);
	const isStreamed = onDelta !== undefined;
	const callLibrary = async (streamsUsage: boolean) => {
		const own = wireFetch({
			...{ connection, fetch, signal, token, isStreamed, seen },
			wire: wireOf(connection),
			query: addressOf(connection, model).query,
			complete: call.complete,
			hide: hide.current,
		});
		await withLanguageModel(connection, model, { streamsUsage, fetch: own }, (library) =>
			(isStreamed ? readStream : readWhole)(library, { ...call.options, abortSignal: signal }, answer),
		);
	};
	try {
		await callLibrary(true);
	} catch (error) {
		if (connection.kind !== "openai_compatible" || seen.error?.parameter !== "stream_options") throw error;
		// Some servers do not know it, and some of those count tokens all the same.
		delete seen.error;
		await callLibrary(false);
	}
}

interface Failed {
	readonly connection: OpenConnection;
	readonly call: PreparedCall | undefined;
	readonly answer: AnswerSoFar;
	readonly seen: Seen;
	readonly hide: Hide;
	readonly options: AskOptions;
}

/** Why a call failed, with what came before; a fault of this server as it is. */
function failureOf(error: unknown, failed: Failed): unknown {
	const { connection, call, answer, seen, hide, options } = failed;
	const found = options.signal.aborted
		? cancellation(options.signal)
		: (seen.error ?? knownError(ofOutgoing(error), hide));
	if (found === undefined) return error;
	// The next call asks for another token.
	if (found.code === "authentication") options.tokens?.forget(connection);
	const { message, cause, status, retryAfterMs, isPassing } = found;
	const parameter =
		found.parameter === undefined ? undefined : (call?.givenNames.get(found.parameter) ?? found.parameter);
	const partial = partialOf(answer);
	// A provider that began to answer did not refuse, whatever it says in the end.
	const code =
		found.code === "rate_limited" && status === undefined && partial !== undefined ? "interrupted" : found.code;
	return new ModelError(code, message, {
		isPassing,
		...(cause === undefined ? {} : { cause }),
		...(status === undefined ? {} : { status }),
		...(parameter === undefined ? {} : { parameter }),
		...(retryAfterMs === undefined ? {} : { retryAfterMs }),
		...(partial === undefined ? {} : { partial }),
	});
}

/**
 * What a library throws by itself: it cannot say a request, or read an answer. Not as a cause: these errors have the whole
 * request in them, which would get into logs.
 */
function knownError(error: unknown, hide: Hide): ModelError | undefined {
	if (error instanceof ModelError) return error;
	if (!(error instanceof Error) || !error.name.startsWith("AI_")) return;
	const quote = quoteOf(error.message, hide);
	if (/^AI_(UnsupportedFunctionality|InvalidPrompt|InvalidArgument)Error$/.test(error.name)) {
		return new ModelError("bad_request", `The request cannot be sent to this provider: ${quote}`);
	}
	return new ModelError("bad_response", `The answer of the provider cannot be read: ${quote}`, { isPassing: true });
}

function partialOf({ text, reasoning, toolCalls, usage }: AnswerSoFar): PartialAnswer | undefined {
	if (text === "" && reasoning === "" && toolCalls.length === 0 && usage === undefined) return;
	return { text, reasoning, tool_calls: toolCalls, ...(usage === undefined ? {} : { usage }) };
}
