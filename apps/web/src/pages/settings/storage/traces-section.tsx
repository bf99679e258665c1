import type { TracesState } from "@spanward/client";
import type { ReactNode } from "react";
import { formatBytes, formatDuration } from "../../../lib/format.ts";
import { storageTexts as TEXTS } from "../../../texts/storage-en.ts";
import { StateChip } from "./storage-state.tsx";

/** Where traces are and how that fares. */
export function TracesSection({ traces }: { traces: TracesState }): ReactNode {
	return (
		<section aria-label={TEXTS.traces} className="flex max-w-2xl flex-col gap-2 border-line border-t pt-4">
			<div className="flex items-center gap-3">
				<h2 className="font-semibold text-lg">{TEXTS.traces}</h2>
				<StateChip state={traces.state} />
			</div>
			<p>{TEXTS.stateText[traces.state]}</p>
			<dl className="grid grid-cols-[11rem_1fr] gap-y-1">
				<dt className="text-muted">{TEXTS.keptIn}</dt>
				<dd>{TEXTS.kind[traces.kind]}</dd>
				{traces.delay_seconds > 0 && (
					<>
						<dt className="text-muted">{TEXTS.delay}</dt>
						<dd>{TEXTS.seconds(Math.ceil(traces.delay_seconds))}</dd>
					</>
				)}
				<dt className="text-muted">{TEXTS.pending}</dt>
				<dd>{formatBytes(traces.pending_delete_bytes)}</dd>
				{traces.insert_interval_ms !== null && (
					<>
						<dt className="text-muted">{TEXTS.interval}</dt>
						<dd title={TEXTS.intervalText}>{formatDuration(traces.insert_interval_ms)}</dd>
					</>
				)}
				{traces.older_rows !== null && traces.older_rows > 0 && (
					<>
						<dt className="text-muted">{TEXTS.older}</dt>
						<dd title={TEXTS.olderText}>{TEXTS.olderRows(traces.older_rows)}</dd>
					</>
				)}
			</dl>
		</section>
	);
}
