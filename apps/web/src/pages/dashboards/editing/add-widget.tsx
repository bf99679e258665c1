import { type ReactNode, useState } from "react";
import { analyticsTexts } from "../../../texts/analytics-en.ts";
import { dashboardTexts } from "../../../texts/dashboards-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, SearchInput, TextArea } from "../../../ui/input.tsx";
import { PRESETS } from "./presets.ts";
import { EMPTY_CHART, EMPTY_TEXT, readWidget, type WidgetDraft } from "./widget-draft.ts";

const TEXTS = dashboardTexts.add;
const CHOICE =
	"flex min-h-9 items-center justify-between gap-2 rounded border border-line px-2 py-1 text-left hover:border-accent hover:bg-hover pointer-coarse:min-h-11";

/** Offers what may be added to a dashboard. */
export function AddWidget({
	onAdd,
	onClose,
}: {
	/** @param isUnfinished it is to be edited at once */
	onAdd: (draft: WidgetDraft, isUnfinished: boolean) => void;
	onClose: () => void;
}): ReactNode {
	const [words, setWords] = useState("");
	const [isPasting, setPasting] = useState(false);
	const found = PRESETS.filter(({ title }) => title.toLowerCase().includes(words.trim().toLowerCase()));
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title} className="w-[min(44rem,calc(100vw-1rem))]">
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<div className="flex flex-wrap gap-2">
					<Button onClick={() => onAdd(EMPTY_CHART, true)}>{TEXTS.empty}</Button>
					<Button onClick={() => onAdd(EMPTY_TEXT, true)}>{TEXTS.text}</Button>
					<Button aria-expanded={isPasting} onClick={() => setPasting(!isPasting)}>
						{TEXTS.paste}
					</Button>
				</div>
				{isPasting ? (
					<Paste onAdd={(draft) => onAdd(draft, false)} />
				) : (
					<>
						<SearchInput
							label={TEXTS.find}
							placeholder={TEXTS.find}
							value={words}
							onChange={(event) => setWords(event.target.value)}
							boxClassName="w-full"
						/>
						{found.length === 0 && <p className="text-muted">{TEXTS.none}</p>}
						<ul aria-label={TEXTS.title} className="grid gap-2 sm:grid-cols-2">
							{found.map((preset) => (
								<li key={preset.title} className="flex flex-col">
									<button type="button" className={CHOICE} onClick={() => onAdd(preset, false)}>
										<span>{preset.title}</span>
										<span className="shrink-0 text-muted text-sm">{lookOf(preset)}</span>
									</button>
								</li>
							))}
						</ul>
					</>
				)}
			</div>
		</Dialog>
	);
}

function lookOf({ kind, display }: WidgetDraft): string {
	const look = kind === "time_series" ? (display.style ?? "line") : kind;
	const known: Readonly<Record<string, string | undefined>> = analyticsTexts.chart;
	return known[look] ?? look;
}

function Paste({ onAdd }: { onAdd: (draft: WidgetDraft) => void }): ReactNode {
	const [text, setText] = useState("");
	const [isWrong, setWrong] = useState(false);
	return (
		<form
			className="flex flex-col gap-2"
			onSubmit={(event) => {
				event.preventDefault();
				const draft = readWidget(text);
				if (draft === undefined) setWrong(true);
				else onAdd(draft);
			}}
		>
			<Field label={TEXTS.pasteField} error={isWrong ? TEXTS.notAWidget : undefined}>
				<TextArea
					required
					rows={8}
					className="font-mono"
					aria-invalid={isWrong}
					value={text}
					onChange={(event) => {
						setText(event.target.value);
						setWrong(false);
					}}
				/>
			</Field>
			<Button type="submit" look="primary" className="self-end">
				{TEXTS.pasted}
			</Button>
		</form>
	);
}
