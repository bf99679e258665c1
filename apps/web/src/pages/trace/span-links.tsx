import type { SpanDetail } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Section } from "./section.tsx";

export interface SpanLinksProps {
	readonly project: string;
	/** The trace that is shown; a link within it selects the span. */
	readonly traceId: string;
	readonly links: SpanDetail["links"];
}

/** The spans that this one is linked to, in this trace or another. */
export function SpanLinks({ project, traceId, links }: SpanLinksProps): ReactNode {
	if (links.length === 0) return null;
	return (
		<Section title={texts.section.links}>
			<ul className="flex flex-col gap-0.5">
				{links.map((link, index) => (
					<li key={index}>
						<Link
							to="/p/$project/traces/$trace"
							params={{ project, trace: link.trace_id }}
							search={{ span: link.span_id }}
							className="font-mono text-accent text-sm hover:underline"
						>
							{link.trace_id === traceId ? "" : `${texts.linkToTrace(link.trace_id)}, `}
							{texts.linkToSpan(link.span_id)}
						</Link>
					</li>
				))}
			</ul>
		</Section>
	);
}
