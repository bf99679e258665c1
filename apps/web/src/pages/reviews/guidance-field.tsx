import { type ReactNode, useId, useState } from "react";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { TextContent } from "../../ui/content/text-content.tsx";
import { TextArea } from "../../ui/input.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";

const TEXTS = reviewTexts.queueForm;

/** Markdown for reviewers, as it is written or as they will see it. */
export function GuidanceField({ value, onChange }: { value: string; onChange: (value: string) => void }): ReactNode {
	const id = useId();
	const [view, setView] = useState<"write" | "preview">("write");
	return (
		<div className="flex flex-col gap-1">
			<span className="flex items-end justify-between gap-2">
				<label htmlFor={id} className="text-muted text-sm">
					{TEXTS.guidance}
				</label>
				<SegmentedControl
					label={TEXTS.guidanceView}
					value={view}
					onChange={setView}
					choices={[
						{ value: "write", label: TEXTS.write },
						{ value: "preview", label: TEXTS.preview },
					]}
				/>
			</span>
			{view === "write" ? (
				<TextArea
					id={id}
					rows={8}
					maxLength={50_000}
					value={value}
					onChange={(event) => onChange(event.target.value)}
				/>
			) : (
				<section aria-label={TEXTS.preview} className="min-h-40 rounded border border-line px-3 py-2">
					<TextContent text={value} isMarkdown className="[overflow-wrap:anywhere]" />
				</section>
			)}
			<span className="text-muted text-sm">{TEXTS.guidanceHint}</span>
		</div>
	);
}
