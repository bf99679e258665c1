import type { TracesState } from "@spanward/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { storageQuery } from "../lib/storage.ts";
import { storageTrouble } from "../lib/storage-trouble.ts";
import { storageTexts } from "../texts/storage-en.ts";

const TEXTS = storageTexts.notice;
const REFRESH_MS = 3_000;

/**
 * Says that traces cannot be read, or not all of them, and what can be done meanwhile, until the server says that they can;
 * then what failed is asked for again. `since` is when an answer said so.
 */
export function StorageNotice({ since }: { since: number }): ReactNode {
	const queries = useQueryClient();
	const { data, dataUpdatedAt } = useQuery({ ...storageQuery, staleTime: 0, refetchInterval: REFRESH_MS });
	const text = noticeOf(data?.traces);
	const isOver = text === undefined && dataUpdatedAt > since;
	useEffect(() => {
		if (!isOver) return;
		storageTrouble.end();
		void queries.refetchQueries({ type: "active", predicate: ({ state: { status } }) => status === "error" });
	}, [isOver, queries]);
	return (
		<p
			role="status"
			className="flex shrink-0 flex-wrap items-center gap-x-2 border-line border-b bg-warn-soft px-4 py-1.5 text-warn"
		>
			{text ?? TEXTS.unreachable} {TEXTS.works}
			<Link to="/settings/storage" className="underline">
				{TEXTS.storage}
			</Link>
		</p>
	);
}

/** Undefined where all traces can be read. */
function noticeOf(traces: TracesState | undefined): string | undefined {
	const state = traces?.state ?? "unreachable";
	if (state === "behind") return TEXTS.behind(Math.ceil(traces?.delay_seconds ?? 0));
	return state === "incomplete" || state === "unreachable" ? TEXTS[state] : undefined;
}
