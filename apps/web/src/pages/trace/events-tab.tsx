import type { SpanDetail } from "@spanward/client";
import type { ReactNode } from "react";
import { formatExactTime } from "../../lib/time.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import type { Json } from "../../ui/content/json-value.ts";
import { ValueContent } from "../../ui/content/value-content.tsx";
import { AttributeTable } from "./attribute-table.tsx";
import { ErrorBox } from "./error-box.tsx";
import { formatOffset } from "./format-offset.ts";
import { Section } from "./section.tsx";
import { type SentAttribute, toSentAttributes } from "./sent-attributes.ts";
import { toMicros } from "./wire-span.ts";

/** The span's events and the log records that belong to it, each with its time from the start of the span. */
export function EventsTab({ span }: { span: SpanDetail }): ReactNode {
	const { otlp, log_events: logs } = span;
	const events = otlp.events ?? [];
	const startMicros = toMicros(span.start_time);
	if (events.length === 0 && logs.length === 0) return <p className="text-muted">{texts.noEvents}</p>;
	return (
		<div className="flex flex-col gap-5">
			{events.length > 0 && (
				<ol className="flex flex-col gap-5">
					{events.map((event, index) => (
						<li key={index}>
							<EventHead
								name={event.name}
								// Subtracted as bigints, as nanoseconds since 1970 exceed the exact integers of a number.
								offsetMs={Number(BigInt(event.time_unix_nano) - BigInt(otlp.start_time_unix_nano)) / 1e6}
								time={Number(BigInt(event.time_unix_nano) / 1_000_000n)}
							/>
							<EventBody attributes={toSentAttributes(event.attributes)} name={event.name} />
							{Number(event.dropped_attributes_count) > 0 && (
								<p className="text-sm text-warn">
									{texts.dropped(Number(event.dropped_attributes_count), texts.section.attributes.toLowerCase())}
								</p>
							)}
						</li>
					))}
				</ol>
			)}
			{Number(otlp.dropped_events_count ?? 0) > 0 && (
				<p className="text-sm text-warn">
					{texts.dropped(Number(otlp.dropped_events_count), texts.tab.events.toLowerCase())}
				</p>
			)}
			{logs.length > 0 && (
				<Section title={texts.section.logs}>
					<ol className="flex flex-col gap-5">
						{logs.map((log, index) => (
							<li key={index}>
								<EventHead
									name={log.event_name}
									offsetMs={(toMicros(log.timestamp) - startMicros) / 1000}
									time={log.timestamp}
								/>
								{log.body !== null && log.body !== undefined && (
									<ValueContent value={log.body as Json} label={log.event_name || texts.section.logs} />
								)}
								<AttributeTable attributes={fromJson(log.attributes)} label={log.event_name || texts.section.logs} />
							</li>
						))}
					</ol>
				</Section>
			)}
		</div>
	);
}

function EventHead({ name, offsetMs, time }: { name: string; offsetMs: number; time: number | string }): ReactNode {
	return (
		<div className="flex min-h-6 items-center gap-3">
			<h4 className="truncate font-semibold">{name || texts.unnamed}</h4>
			<span className="shrink-0 text-muted" title={formatExactTime(time)}>
				{formatOffset(offsetMs)}
			</span>
		</div>
	);
}

/** An exception is shown as an error, followed by its other attributes. */
function EventBody({ attributes, name }: { attributes: readonly SentAttribute[]; name: string }): ReactNode {
	const text = (key: string) => {
		const value = attributes.find((attribute) => attribute.key === key)?.value;
		return typeof value === "string" ? value : undefined;
	};
	const error = {
		type: text("exception.type"),
		message: text("exception.message"),
		stacktrace: text("exception.stacktrace"),
	};
	if (name !== "exception" || !(error.type ?? error.message ?? error.stacktrace)) {
		return attributes.length > 0 ? <AttributeTable attributes={attributes} label={name} /> : null;
	}
	const shown = new Set(["exception.type", "exception.message", "exception.stacktrace"]);
	const rest = attributes.filter((attribute) => !shown.has(attribute.key) || typeof attribute.value !== "string");
	return (
		<>
			<ErrorBox error={error} />
			{rest.length > 0 && <AttributeTable attributes={rest} label={name} />}
		</>
	);
}

function fromJson(attributes: SpanDetail["log_events"][number]["attributes"]): SentAttribute[] {
	return Object.entries(attributes).map(([key, value]) => ({
		key,
		type: typeof value === "string" ? "string" : "map",
		value: value as Json,
	}));
}
