import type { PlaygroundEnd, PlaygroundError, PlaygroundToolCall } from "@spanward/client";
import { api } from "../../lib/api.ts";
import type { PlaygroundRunRequest } from "./playground-draft.ts";

/** One call of a run, as far as it has come. */
export interface CallState {
	/** Key of its column. */
	readonly variant: string;
	/** From 1. */
	readonly repetition: number;
	readonly text: string;
	readonly reasoning: string;
	readonly toolCalls: readonly PlaygroundToolCall[];
	readonly end?: PlaygroundEnd;
	readonly error?: PlaygroundError;
	/** The run ended before this call did: why. */
	readonly stopped?: "stopped" | "access_ended" | "stopping" | "lost";
}

export interface RunState {
	/** Name of the project that gets the traces; undefined until the server has said it. */
	readonly project?: string;
	readonly calls: readonly CallState[];
	readonly isRunning: boolean;
	/** The run did not begin. */
	readonly failure?: Error;
}

export const NO_RUN: RunState = { calls: [], isRunning: false };

/** A run of these columns, before anything has arrived. */
export function beginRun(variants: readonly string[], repetitions: number): RunState {
	const calls = variants.flatMap((variant) =>
		Array.from({ length: repetitions }, (_, index) => ({
			...{ variant, repetition: index + 1, text: "", reasoning: "", toolCalls: [] },
		})),
	);
	return { calls, isRunning: true };
}

/** The server's events, with the position of a column in the run. */
type RunEvent =
	| { readonly event: "start"; readonly project: string }
	| {
			readonly event: "delta";
			readonly variant: number;
			readonly repetition: number;
			readonly text?: string;
			readonly reasoning?: string;
	  }
	| {
			readonly event: "tool_call";
			readonly variant: number;
			readonly repetition: number;
			readonly tool_call: PlaygroundToolCall;
	  }
	| ({ readonly event: "end" } & PlaygroundEnd)
	| ({ readonly event: "error" } & PlaygroundError)
	| { readonly event: "done"; readonly reason: "finished" | "access_ended" | "stopping" }
	| { readonly event: "heartbeat" };

/** The state after an event. @param variants keys of the columns, in the order of the run */
export function afterEvent(state: RunState, event: RunEvent, variants: readonly string[]): RunState {
	if (event.event === "heartbeat") return state;
	if (event.event === "start") return { ...state, project: event.project };
	if (event.event === "done") return stopRun(state, event.reason === "finished" ? "lost" : event.reason);
	const calls = state.calls.map((call): CallState => {
		if (call.variant !== variants[event.variant] || call.repetition !== event.repetition) return call;
		switch (event.event) {
			case "delta":
				return { ...call, text: call.text + (event.text ?? ""), reasoning: call.reasoning + (event.reasoning ?? "") };
			case "tool_call":
				return { ...call, toolCalls: [...call.toolCalls, event.tool_call] };
			case "end": {
				const { text, reasoning, tool_calls: toolCalls } = event.output;
				return { ...call, text, reasoning, toolCalls, end: event };
			}
			case "error":
				return { ...call, error: event };
			default:
				return call;
		}
	});
	return { ...state, calls };
}

/** What has not ended is marked as stopped. */
export function stopRun(state: RunState, why: NonNullable<CallState["stopped"]>): RunState {
	const calls = state.calls.map((call) =>
		call.end === undefined && call.error === undefined ? { ...call, stopped: why } : call,
	);
	return { ...state, calls, isRunning: false };
}

/** Runs the columns; `onState` is called as answers arrive, at most once a frame. Never rejects. */
export async function runVariants(
	body: PlaygroundRunRequest,
	variants: readonly string[],
	{ signal, onState }: { readonly signal: AbortSignal; readonly onState: (state: RunState) => void },
): Promise<void> {
	let state = beginRun(variants, body.repetitions);
	let frame: number | undefined;
	const show = () => {
		frame ??= requestAnimationFrame(() => {
			frame = undefined;
			onState(state);
		});
	};
	const finish = (last: RunState) => {
		state = last;
		if (frame !== undefined) cancelAnimationFrame(frame);
		onState(state);
	};
	onState(state);
	try {
		const events = api.events("/v1/playground/runs", { body: body as never, signal });
		for await (const { event, data } of events) {
			state = afterEvent(state, { event, ...(JSON.parse(data) as object) } as RunEvent, variants);
			show();
		}
		finish(state.isRunning ? stopRun(state, "lost") : state);
	} catch (error) {
		if (signal.aborted) return finish(stopRun(state, "stopped"));
		if (!(error instanceof Error)) throw error;
		const hasBegun = state.project !== undefined;
		finish(hasBegun ? stopRun(state, "lost") : { ...state, isRunning: false, calls: [], failure: error });
	}
}
