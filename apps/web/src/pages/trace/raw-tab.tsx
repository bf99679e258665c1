import { type SpanDetail, toOtlpJson } from "@spanward/client";
import Download from "lucide-react/icons/download";
import { type ReactNode, useMemo } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Button } from "../../ui/button.tsx";
import { JsonTree } from "../../ui/content/json-tree.tsx";
import { formatJson } from "../../ui/content/json-value.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

/** The span as it was sent, in OTLP/JSON. */
export function RawTab({ span }: { span: SpanDetail }): ReactNode {
	const json = useMemo(() => toOtlpJson(span.otlp), [span.otlp]);
	const text = useMemo(() => formatJson(json), [json]);
	const download = () => {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
		link.download = `span-${span.otlp.span_id}.json`;
		link.click();
		URL.revokeObjectURL(link.href);
	};
	return (
		<div className="flex flex-col gap-2">
			<div className="flex flex-wrap items-center gap-2">
				<p className="min-w-0 flex-1 text-muted">{texts.rawText}</p>
				<CopyButton text={text} label={texts.copyJson} />
				<Button onClick={download}>
					<Download size={14} aria-hidden />
					{texts.download}
				</Button>
			</div>
			<JsonTree value={json} label={texts.tab.raw} searchable />
		</div>
	);
}
