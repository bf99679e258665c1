import { useEffect, useEffectEvent, useState } from "react";
import { api } from "./api.ts";

export type StreamState = "connecting" | "open" | "lost";

const RETRY_MS = [1000, 2000, 5000, 10_000];
/** A stream that the server ends properly after at least this time is not an interruption. */
const LIVED_MS = 5_000;
/** The first change is reported at once, later ones together, at most this often. */
const GATHER_MS = 800;

function wait(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}

/**
 * Listens for new and changed traces of the project while the page is visible, and calls `onChange` for several of them
 * together. Also calls it when the stream opens, first or after an interruption, as traces may have arrived before.
 */
export function useTraceEvents(project: string, enabled: boolean, onChange: () => void): StreamState {
	const [state, setState] = useState<StreamState>("connecting");
	const changed = useEffectEvent(onChange);
	const visible = useVisible();
	useEffect(() => {
		if (!enabled || !visible) return;
		const abort = new AbortController();
		let gathering: ReturnType<typeof setTimeout> | undefined;
		let hasMore = false;
		const gather = () => {
			hasMore = gathering !== undefined;
			if (hasMore) return;
			changed();
			gathering = setTimeout(() => {
				gathering = undefined;
				if (hasMore) gather();
			}, GATHER_MS);
		};
		const listen = async () => {
			let failures = 0;
			let mayHaveMissed = true;
			let dropped: unknown;
			while (!abort.signal.aborted) {
				const startedAt = Date.now();
				let wasCut = false;
				try {
					const path = { project_identifier: project };
					for await (const { event, data } of api.events("/v1/projects/{project_identifier}/stream", {
						path,
						signal: abort.signal,
					})) {
						if (mayHaveMissed) gather();
						mayHaveMissed = false;
						failures = 0;
						setState("open");
						if (event === "trace") gather();
						else if (event === "heartbeat") {
							const beat = JSON.parse(data) as { dropped?: unknown };
							if (dropped !== undefined && beat.dropped !== dropped) gather();
							dropped = beat.dropped;
						}
					}
				} catch (error) {
					if (abort.signal.aborted) return;
					if (!(error instanceof Error)) throw error;
					wasCut = true;
				}
				if (abort.signal.aborted) return;
				mayHaveMissed = true;
				// The server ends a stream when its access token expires; it is reopened at once.
				if (!wasCut && Date.now() - startedAt > LIVED_MS) continue;
				setState("lost");
				await wait(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000, abort.signal);
				failures += 1;
			}
		};
		void listen();
		return () => {
			abort.abort();
			clearTimeout(gathering);
		};
	}, [project, enabled, visible]);
	return state;
}

function useVisible(): boolean {
	const [visible, setVisible] = useState(document.visibilityState === "visible");
	useEffect(() => {
		const update = () => setVisible(document.visibilityState === "visible");
		document.addEventListener("visibilitychange", update);
		return () => document.removeEventListener("visibilitychange", update);
	}, []);
	return visible;
}
