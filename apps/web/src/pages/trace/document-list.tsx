import type { SpanDetail } from "@spanward/client";
import type { ReactNode } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { JsonTree } from "../../ui/content/json-tree.tsx";
import { isContainer, type Json } from "../../ui/content/json-value.ts";
import { TextContent } from "../../ui/content/text-content.tsx";

type Documents = NonNullable<SpanDetail["semantic"]["documents"]>;

const SCREENFUL = { characters: 900, lines: 8 };

/** Retrieved documents in their order, with score and metadata. */
export function DocumentList({ documents }: { documents: Documents }): ReactNode {
	return (
		<ol className="flex flex-col gap-3">
			{documents.map((document, index) => {
				const metadata = document.metadata as Json | undefined;
				return (
					<li key={index} className="flex min-w-0 gap-2">
						<span className="w-5 shrink-0 text-right text-muted">{texts.document(index + 1)}</span>
						<div className="min-w-0 flex-1">
							{(document.id !== undefined || document.score !== undefined) && (
								<p className="flex gap-3 text-muted text-sm">
									{document.id !== undefined && <span className="truncate font-mono">{document.id}</span>}
									{document.score !== undefined && (
										<span className="ml-auto">{texts.score(formatScore(document.score))}</span>
									)}
								</p>
							)}
							{document.content === undefined ? (
								<p className="text-muted italic">{texts.noContent}</p>
							) : (
								<TextContent text={document.content} screenful={SCREENFUL} />
							)}
							{metadata !== undefined && isContainer(metadata) && Object.keys(metadata).length > 0 && (
								<JsonTree value={metadata} label={texts.section.metadata} searchable={false} />
							)}
						</div>
					</li>
				);
			})}
		</ol>
	);
}

function formatScore(score: number): string {
	return String(Number(score.toPrecision(4)));
}
