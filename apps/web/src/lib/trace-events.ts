import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { followStream, type StreamCause, type StreamState } from "./live-stream.ts";
import { usePageVisible } from "./page-visible.ts";
import { projectQuery } from "./projects.ts";

export type { StreamCause, StreamState } from "./live-stream.ts";

/** The first change is reported at once, later ones together, at most this often. */
const GATHER_MS = 800;

/**
 * Listens for new and changed traces of the project while the page is visible, and calls `onChange` for several of them
 * together. Also calls it when the stream opens, first or after an interruption, as traces may have arrived before.
 */
export function useTraceEvents(project: string, enabled: boolean, onChange: (cause: StreamCause) => void): StreamState {
	const [state, setState] = useState<StreamState>("connecting");
	const changed = useEffectEvent(onChange);
	const queries = useQueryClient();
	const [round, setRound] = useState(0);
	const visible = usePageVisible();
	useEffect(() => {
		if (!enabled || !visible) return;
		const abort = new AbortController();
		let gathering: ReturnType<typeof setTimeout> | undefined;
		let hasMore = false;
		const gather = (cause: StreamCause) => {
			hasMore = gathering !== undefined;
			if (hasMore) return;
			changed(cause);
			gathering = setTimeout(() => {
				gathering = undefined;
				if (hasMore) gather("change");
			}, GATHER_MS);
		};
		let before: StreamState | undefined;
		const onState = (next: StreamState) => {
			// Another window may have had it open for long.
			if (next === "open" && before === undefined) gather("opening");
			before = next;
			setState(next);
		};
		const onEnd = async () => {
			const { queryKey } = projectQuery(project);
			await queries.invalidateQueries({ queryKey });
			// The right may have come back meanwhile; otherwise this page goes.
			if (!abort.signal.aborted && queries.getQueryState(queryKey)?.status === "success") setRound(round + 1);
		};
		void followStream(project, { onState, onChange: gather, onEnd: () => void onEnd() }, abort.signal);
		return () => {
			abort.abort();
			clearTimeout(gathering);
		};
	}, [project, enabled, visible, queries, round]);
	return state;
}
