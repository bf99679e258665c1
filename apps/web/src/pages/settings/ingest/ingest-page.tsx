import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { config } from "../../../lib/config.ts";
import { formatBytes, formatCompact, formatDuration, formatInteger } from "../../../lib/format.ts";
import { storageQuery } from "../../../lib/storage.ts";
import { texts } from "../../../texts/en.ts";
import { ingestTexts } from "../../../texts/ingest-en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { storageTexts } from "../../../texts/storage-en.ts";
import { ErrorState } from "../../../ui/error-state.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { Sparkline } from "../../../ui/sparkline.tsx";
import { AuthOffNote } from "../forbidden.tsx";
import { SectionPage } from "../section-page.tsx";
import { type IngestHealth, ingestHealthQuery } from "./ingest-queries.ts";
import { useRate } from "./use-rate.ts";

const TEXTS = ingestTexts;

/** What the server received, refused and wrote since it started. */
export function IngestPage(): ReactNode {
	const { data, error, refetch, dataUpdatedAt } = useQuery(ingestHealthQuery);
	return (
		<SectionPage title={TEXTS.title} intro={TEXTS.intro}>
			{!config.auth.enabled && (
				<details className="rounded border border-line px-3 py-2">
					<summary className="cursor-pointer font-medium">{settingsTexts.authOff}</summary>
					<div className="flex flex-col gap-2 pt-2">
						<AuthOffNote />
					</div>
				</details>
			)}
			{error && data && (
				<p role="alert" className="rounded bg-warn-soft px-3 py-2 text-warn">
					{TEXTS.stale}
				</p>
			)}
			{error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
			{!data && !error && <SkeletonRows rows={10} />}
			{data && <Counters health={data} readAt={dataUpdatedAt} />}
		</SectionPage>
	);
}

function Counters({ health, readAt }: { health: IngestHealth; readAt: number }): ReactNode {
	const rate = useRate(health.accepted_spans, readAt);
	const interval = useQuery(storageQuery).data?.traces.insert_interval_ms ?? null;
	return (
		<>
			<dl className="flex flex-col">
				<Fact name={TEXTS.accepted} text={TEXTS.acceptedText} value={formatInteger(health.accepted_spans)}>
					<span className="text-muted">
						{TEXTS.started} <RelativeTime time={health.started_at} />
					</span>
				</Fact>
				<Fact name={TEXTS.rate} text={TEXTS.rateText} value={formatCompact(Math.round(rate.at(-1) ?? 0))}>
					<Sparkline label={TEXTS.rate} values={rate} className="w-32" />
				</Fact>
				<Fact name={TEXTS.duplicates} text={TEXTS.duplicatesText} value={formatInteger(health.duplicate_spans)} />
				<Fact
					name={TEXTS.queue}
					text={TEXTS.queueText}
					value={TEXTS.requests(health.queued_requests)}
					isWarning={health.queued_bytes > health.queue_limit_bytes / 2}
				>
					<span className="text-muted">
						{TEXTS.queueOf(formatBytes(health.queued_bytes), formatBytes(health.queue_limit_bytes))}
					</span>
				</Fact>
				<Fact
					name={TEXTS.commit}
					text={TEXTS.commitText}
					value={
						health.commit_ms
							? [health.commit_ms.p50, health.commit_ms.p99, health.commit_ms.max].map(formatDuration).join(" / ")
							: texts.state.unknown
					}
				/>
				{interval !== null && (
					<Fact name={storageTexts.interval} text={storageTexts.intervalText} value={formatDuration(interval)} />
				)}
				<Fact name={TEXTS.commits} text={TEXTS.commitsText} value={formatInteger(health.commits)}>
					{health.last_commit_at && (
						<span className="text-muted">
							{TEXTS.lastCommit} <RelativeTime time={health.last_commit_at} />
						</span>
					)}
				</Fact>
				<Fact name={TEXTS.logs} text={TEXTS.logsText} value={formatInteger(health.accepted_log_records)} />
				<Fact name={TEXTS.ignoredLogs} text={TEXTS.ignoredLogsText} value={formatInteger(health.ignored_log_records)} />
			</dl>
			<Reasons title={TEXTS.rejected} text={TEXTS.rejectedText} counts={health.rejected_spans} />
			<Reasons title={TEXTS.refused} text={TEXTS.refusedText} counts={health.refused_requests} />
			<section aria-label={TEXTS.lastError}>
				<h2 className="font-semibold">{TEXTS.lastError}</h2>
				<p className="text-muted">{TEXTS.lastErrorText}</p>
				{health.last_error ? (
					<p className="mt-2 rounded bg-danger-soft px-3 py-2">
						<RelativeTime time={health.last_error.at} className="mr-2 text-danger" />
						<span className="font-mono text-sm [overflow-wrap:anywhere]">{health.last_error.message}</span>
					</p>
				) : (
					<p className="mt-1">{TEXTS.noError}</p>
				)}
			</section>
		</>
	);
}

function Fact({
	name,
	text,
	value,
	isWarning,
	children,
}: {
	name: string;
	text: string;
	value: string;
	isWarning?: boolean;
	children?: ReactNode;
}): ReactNode {
	return (
		<div className="flex items-center gap-x-4 border-line border-b py-2 max-sm:flex-col max-sm:items-stretch">
			<dt className="flex-1">
				<span className="font-medium">{name}</span>
				<span className="block text-muted text-sm">{text}</span>
			</dt>
			<dd className="flex items-center gap-3 max-sm:flex-row-reverse max-sm:justify-between max-sm:pt-1">
				{children}
				<span className={isWarning ? "text-right text-lg text-warn sm:min-w-20" : "text-right text-lg sm:min-w-20"}>
					{value}
				</span>
			</dd>
		</div>
	);
}

function Reasons({
	title,
	text,
	counts,
}: {
	title: string;
	text: string;
	counts: Readonly<Record<string, number>>;
}): ReactNode {
	const reasons = Object.entries(counts)
		.filter(([, count]) => count > 0)
		.toSorted(([, a], [, b]) => b - a);
	return (
		<section aria-label={title}>
			<h2 className="font-semibold">{title}</h2>
			<p className="text-muted">{text}</p>
			{reasons.length === 0 ? (
				<p className="mt-1">{TEXTS.nothing}</p>
			) : (
				<table className="mt-1 w-full max-w-xl border-collapse">
					<thead>
						<tr className="border-line border-b text-left text-muted text-sm">
							<th scope="col" className="h-8 font-normal">
								{TEXTS.reason}
							</th>
							<th scope="col" className="h-8 text-right font-normal">
								{TEXTS.count}
							</th>
						</tr>
					</thead>
					<tbody>
						{reasons.map(([reason, count]) => (
							<tr key={reason} className="border-line border-b">
								<td className="h-8">{reason.replaceAll("_", " ")}</td>
								<td className="h-8 text-right">{formatInteger(count)}</td>
							</tr>
						))}
					</tbody>
				</table>
			)}
		</section>
	);
}
