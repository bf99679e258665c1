import type { SpanDetail } from "@spanward/client";
import type { ReactNode } from "react";
import { formatExactTime, useTimeZone } from "../../lib/time.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { ErrorBox } from "./error-box.tsx";
import { Section } from "./section.tsx";

/** Whether the stored content of the span is damaged: docs/observing.md. */
export function isDamaged({ otlp }: SpanDetail): boolean {
	return otlp.attributes.some(({ key, value }) => key === "spanward.damaged" && value.bool_value === true);
}

/** Shown on every tab of a damaged span: an explanation, and the little that is stored elsewhere. */
export function DamagedSpan({ span }: { span: SpanDetail }): ReactNode {
	useTimeZone();
	const rows = [
		[texts.fact.status, span.status_code],
		[texts.fact.start, formatExactTime(span.start_time)],
		[texts.fact.end, formatExactTime(span.end_time)],
	] as const;
	return (
		<div className="flex flex-col gap-5">
			<div role="status" className="rounded bg-danger-soft px-3 py-2">
				<p className="font-semibold text-danger">{texts.damaged}</p>
				<p>
					{texts.damagedText.before} <code className="font-mono text-sm">./spanward verify</code>
					{texts.damagedText.after}
				</p>
			</div>
			{span.semantic.error && <ErrorBox error={span.semantic.error} />}
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
		</div>
	);
}
