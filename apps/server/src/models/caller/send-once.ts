import type { CallOptions } from "../call-model.ts";
import { ModelError } from "../model-error.ts";
import type { ModelAnswer, ModelRequest, PartialAnswer } from "../model-request.ts";
import type { Provider } from "./provider.ts";

/** What a provider did with a request that was sent once. */
export interface Sent {
	readonly answer: ModelAnswer | undefined;
	/** Undefined when there is an answer. */
	readonly error: ModelError | undefined;
	/** What came before the error. */
	readonly partial: PartialAnswer | undefined;
	/** False when it failed before anything could go out. */
	readonly isSent: boolean;
	readonly latencyMs: number;
	/** Of a streamed answer of which something came. */
	readonly firstTokenMs: number | undefined;
	/** What was thrown that is no {@link ModelError}: a fault of this server. */
	readonly fault: unknown;
}

interface Sending extends CallOptions {
	/** Whether it may still be sent, once the connection is open. */
	readonly isHeld: () => boolean;
}

export async function sendOnce(
	provider: Provider,
	connectionId: number,
	request: ModelRequest,
	{ signal, onDelta, isHeld }: Sending,
): Promise<Sent | "held"> {
	const start = performance.now();
	let firstTokenMs: number | undefined;
	let isSent = false;
	const noteDelta: NonNullable<CallOptions["onDelta"]> = (delta) => {
		firstTokenMs ??= performance.now() - start;
		onDelta?.(delta);
	};
	const ended = (rest: Pick<Sent, "answer" | "error" | "partial" | "fault">): Sent => {
		return { ...rest, isSent, latencyMs: performance.now() - start, firstTokenMs };
	};
	try {
		const connection = await provider.open(connectionId);
		signal.throwIfAborted();
		if (isHeld()) return "held";
		isSent = true;
		const streamed = onDelta === undefined ? {} : { onDelta: noteDelta };
		const answer = await provider.ask(connection, request, { signal, ...streamed });
		return ended({ answer, error: undefined, partial: undefined, fault: undefined });
	} catch (thrown) {
		const failed = { answer: undefined, partial: undefined, fault: undefined };
		if (thrown instanceof ModelError) return ended({ ...failed, error: thrown, partial: thrown.partial });
		if (signal.aborted) return ended({ ...failed, error: cancelled() });
		const error = new ModelError("bad_response", "The server failed on this call; its log says why.");
		return ended({ ...failed, error, fault: thrown });
	}
}

export function cancelled(): ModelError {
	return new ModelError("cancelled", "The call was cancelled before its answer was complete.");
}
