import { api } from "./api.ts";
import { config } from "./config.ts";
import { isGone } from "./gone-projects.ts";

export type StreamState = "connecting" | "open" | "lost";

/** Why a live view looks for changes: the stream has opened for it, or something changed, or may have while it was lost. */
export type StreamCause = "opening" | "change";

/** What a live view is told; nothing of the traces themselves. */
export interface StreamListener {
	readonly onState: (state: StreamState) => void;
	readonly onChange: (cause: StreamCause) => void;
	/** The project is gone, or not for this person any more; nothing follows. */
	readonly onEnd: () => void;
}

/** What windows tell each other about the stream of a project. */
type Message =
	/** Another window listens, too, and wants to know the state. */
	| { readonly kind: "hello" }
	| { readonly kind: "state"; readonly state: StreamState }
	| { readonly kind: "changed" }
	| { readonly kind: "ended" };

const RETRY_MS = [1000, 2000, 5000, 10_000];
/** A stream that the server ends properly after at least this time is not an interruption. */
const LIVED_MS = 5_000;

/**
 * Follows the new and changed traces of a project until `signal` aborts. Of all windows of this browser that do, one has
 * the connection and tells the others; when it is closed or no longer follows, another one takes over. Without
 * `navigator.locks`, which exists only under https and on localhost, each has its own.
 */
export async function followStream(project: string, listener: StreamListener, signal: AbortSignal): Promise<void> {
	// Absent where the types say that it is always there.
	const locks: LockManager | undefined = navigator.locks;
	if (locks === undefined || typeof BroadcastChannel === "undefined") return await listen(project, listener, signal);
	const name = `spanward.live${config.basePath}/${project}`;
	const channel = new BroadcastChannel(name);
	const tell = (message: Message) => channel.postMessage(message);
	let ownState: StreamState | undefined;
	channel.onmessage = ({ data }: MessageEvent<Message>) => {
		if (data.kind === "state") listener.onState(data.state);
		else if (data.kind === "changed") listener.onChange("change");
		else if (data.kind === "ended") listener.onEnd();
		else if (ownState !== undefined) tell({ kind: "state", state: ownState });
	};
	const teller: StreamListener = {
		onState: (state) => {
			ownState = state;
			listener.onState(state);
			tell({ kind: "state", state });
		},
		onChange: (cause) => {
			listener.onChange(cause);
			tell({ kind: "changed" });
		},
		onEnd: () => {
			listener.onEnd();
			tell({ kind: "ended" });
		},
	};
	tell({ kind: "hello" });
	try {
		await locks.request(name, { signal }, () => listen(project, teller, signal));
	} catch (error) {
		// It never was this window's turn.
		if (!signal.aborted) throw error;
	} finally {
		channel.close();
	}
}

/** Holds the connection, and opens it again when it is lost, until there is nothing to follow any more. */
async function listen(project: string, listener: StreamListener, signal: AbortSignal): Promise<void> {
	let failures = 0;
	let missed: StreamCause | undefined = "opening";
	let dropped: unknown;
	listener.onState("connecting");
	while (!signal.aborted) {
		const startedAt = Date.now();
		let wasCut = false;
		try {
			const path = { project_identifier: project };
			for await (const { event, data } of api.events("/v1/projects/{project_identifier}/stream", { path, signal })) {
				if (missed) listener.onChange(missed);
				missed = undefined;
				failures = 0;
				if (event === "end") return listener.onEnd();
				listener.onState("open");
				if (event === "trace") listener.onChange("change");
				else if (event === "heartbeat") {
					const beat = JSON.parse(data) as { dropped?: unknown };
					if (dropped !== undefined && beat.dropped !== dropped) listener.onChange("change");
					dropped = beat.dropped;
				}
			}
		} catch (error) {
			if (signal.aborted) return;
			if (!(error instanceof Error)) throw error;
			if (isGone(error)) return listener.onEnd();
			wasCut = true;
		}
		if (signal.aborted) return;
		missed = "change";
		// The server ends a stream when its access token expires; it is reopened at once.
		if (!wasCut && Date.now() - startedAt > LIVED_MS) continue;
		listener.onState("lost");
		await wait(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000, signal);
		failures += 1;
	}
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}
