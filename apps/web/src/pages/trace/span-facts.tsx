import type { SpanDetail } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatCost, formatInteger } from "../../lib/format.ts";
import { formatExactTime, useTimeZone } from "../../lib/time.ts";
import { texts as uiTexts } from "../../texts/en.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Chip } from "../../ui/chip.tsx";
import { SpanKindLabel } from "../../ui/span-kind.tsx";
import { UserLink } from "../../ui/user-link.tsx";
import { Section } from "./section.tsx";

const fact = texts.fact;

/** Other facts about a span: model, tokens, cost, session, the convention of its attributes. */
export function SpanFacts({ project, span }: { project: string; span: SpanDetail }): ReactNode {
	useTimeZone();
	const { semantic } = span;
	const requested = semantic.request_model !== semantic.model ? semantic.request_model : undefined;
	const rows: readonly (readonly [name: string, value: ReactNode])[] = [
		[fact.model, semantic.model && <ModelLink project={project} model={semantic.model} />],
		[fact.requestModel, requested],
		[fact.provider, semantic.provider],
		[fact.agent, semantic.agent_name],
		[fact.finishReason, semantic.finish_reason],
		[fact.tokens, semantic.tokens && <Counts counts={semantic.tokens} />],
		[fact.aggregatedTokens, semantic.aggregated_tokens && <Counts counts={semantic.aggregated_tokens} />],
		[fact.cost, span.cost && <Cost cost={span.cost} />],
		[fact.session, semantic.session_id && <SessionLink project={project} session={semantic.session_id} />],
		[fact.user, semantic.user_id && <UserLink project={project} user={semantic.user_id} />],
		[texts.section.tags, semantic.tags && semantic.tags.length > 0 && <Tags tags={semantic.tags} />],
		[fact.traceName, semantic.trace_name],
		[fact.function, semantic.function_id],
		[fact.environment, semantic.environment],
		[fact.version, semantic.version],
		[fact.release, semantic.release],
		[fact.level, semantic.level],
		[fact.status, span.status_code],
		[fact.statusMessage, semantic.status_message ?? (semantic.error ? undefined : span.status_message)],
		[fact.start, formatExactTime(span.start_time)],
		[fact.end, span.state === "ended" ? formatExactTime(span.end_time) : uiTexts.runState[span.state]],
		[fact.kind, <Kind key="kind" kind={semantic.kind} from={semantic.kind_from} />],
		[fact.otelKind, span.otel_kind.replace("SPAN_KIND_", "").toLowerCase()],
		[fact.convention, semantic.convention],
		[fact.scope, [span.scope.name, span.scope.version].filter(Boolean).join(" ")],
	];
	return (
		<Section title={texts.section.details}>
			<dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1">
				{rows.map(([name, value]) =>
					value ? (
						<div key={name} className="contents">
							<dt className="text-muted">{name}</dt>
							<dd className="min-w-0 break-words">{value}</dd>
						</div>
					) : null,
				)}
			</dl>
		</Section>
	);
}

function Kind({ kind, from }: { kind: string; from: string | undefined }): ReactNode {
	return (
		<span className="flex flex-wrap items-center gap-x-2">
			<SpanKindLabel kind={kind} />
			{from && <span className="font-mono text-muted text-sm">{fact.kindFrom(from)}</span>}
		</span>
	);
}

const COUNTS = [
	["prompt", fact.prompt],
	["completion", fact.completion],
	["total", fact.total],
	["cache_read", fact.cacheRead],
	["cache_write", fact.cacheWrite],
	["reasoning", fact.reasoning],
] as const;

function Counts({ counts }: { counts: NonNullable<SpanDetail["semantic"]["tokens"]> }): ReactNode {
	return (
		<span className="flex flex-wrap gap-x-3">
			{COUNTS.map(([key, name]) =>
				counts[key] === undefined ? null : (
					<span key={key}>
						{formatInteger(counts[key])} <span className="text-muted">{name.toLowerCase()}</span>
					</span>
				),
			)}
		</span>
	);
}

function Cost({ cost }: { cost: NonNullable<SpanDetail["cost"]> }): ReactNode {
	return (
		<span className="flex flex-wrap gap-x-3">
			<span title={`$${cost.total}`}>{formatCost(cost.total)}</span>
			{COUNTS.map(([key, name]) =>
				key === "total" || cost[key] === undefined ? null : (
					<span key={key} title={`$${cost[key]}`}>
						{formatCost(cost[key])} <span className="text-muted">{name.toLowerCase()}</span>
					</span>
				),
			)}
			<span className="text-muted">{texts.costFrom[cost.source]}</span>
		</span>
	);
}

function Tags({ tags }: { tags: readonly string[] }): ReactNode {
	return (
		<span className="flex flex-wrap gap-1">
			{tags.map((tag) => (
				<Chip key={tag}>{tag}</Chip>
			))}
		</span>
	);
}

const LINK = "text-accent hover:underline";

function SessionLink({ project, session }: { project: string; session: string }): ReactNode {
	return (
		<Link to="/p/$project/sessions/$session" params={{ project, session }} className={LINK}>
			{session}
		</Link>
	);
}

function ModelLink({ project, model }: { project: string; model: string }): ReactNode {
	return (
		<Link to="/p/$project/traces" params={{ project }} search={{ model: [model] }} className={LINK}>
			{model}
		</Link>
	);
}
