import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronUp from "lucide-react/icons/chevron-up";
import X from "lucide-react/icons/x";
import { type ReactNode, useState } from "react";
import { useMayChangeDataset } from "../../homes/use-may-change.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { dataTexts } from "../../texts/data-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import type { Json } from "../../ui/content/json-value.ts";
import { ReadableValue } from "../../ui/content/readable-value.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import type { Compared } from "./compare-page.tsx";
import { ComparedOutput } from "./compared-output.tsx";
import type { ComparedRow } from "./queries.ts";

const TEXTS = dataTexts.compare;
/** With more repetitions, a list replaces the buttons. */
const MOST_BUTTONS = 10;

export interface ComparedPanelProps {
	/** Id of the dataset. */
	readonly dataset: string;
	readonly row: ComparedRow;
	readonly experiments: readonly Compared[];
	readonly onPrevious: (() => void) | undefined;
	readonly onNext: (() => void) | undefined;
	readonly onClose: () => void;
}

/** One example in full: input, expected output, and the output of each experiment. */
export function ComparedPanel(props: ComparedPanelProps): ReactNode {
	const { dataset, row, experiments, onPrevious, onNext, onClose } = props;
	const [showsWords, setShowsWords] = useState(true);
	const numbers = [
		...new Set(row.experiments.flatMap(({ runs }) => runs.map(({ repetition_number }) => repetition_number))),
	].toSorted((a, b) => a - b);
	const [repetition, setRepetition] = useState(numbers[0] ?? 1);
	useShortcuts({
		title: TEXTS.detail,
		shortcuts: [
			{ keys: ["Escape"], label: dataTexts.examples.close, run: onClose },
			{ keys: ["d"], label: TEXTS.words, run: () => setShowsWords(!showsWords) },
		],
	});
	const runOf = (id: string) =>
		row.experiments
			.find(({ experiment_id }) => experiment_id === id)
			?.runs.find(({ repetition_number }) => repetition_number === repetition);
	const mayChange = useMayChangeDataset(dataset);
	const base = runOf(experiments[0]?.id ?? "");
	const baseOutput = base && base.error === null ? base.output : undefined;
	return (
		<section aria-label={TEXTS.detail} className="flex min-h-0 min-w-0 flex-1 flex-col">
			<div className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b px-3 py-1">
				<h2 className="truncate font-semibold">
					{row.example.id === row.example.node_id ? TEXTS.example : dataTexts.examples.exampleTitle(row.example.id)}
				</h2>
				{numbers.length > 1 && (
					<Repetitions numbers={numbers.slice(0, MOST_BUTTONS)} value={repetition} onChange={setRepetition} />
				)}
				{experiments.length > 1 && (
					<Button
						aria-pressed={showsWords}
						title={TEXTS.wordsHint}
						className="h-6 aria-pressed:border-accent aria-pressed:bg-accent-soft"
						onClick={() => setShowsWords(!showsWords)}
					>
						{TEXTS.words}
					</Button>
				)}
				<span className="ml-auto flex shrink-0">
					<IconButton label={TEXTS.previous} shortcut="k" disabled={!onPrevious} onClick={onPrevious}>
						<ChevronUp size={15} aria-hidden />
					</IconButton>
					<IconButton label={TEXTS.next} shortcut="j" disabled={!onNext} onClick={onNext}>
						<ChevronDown size={15} aria-hidden />
					</IconButton>
					<IconButton label={dataTexts.examples.close} shortcut="Esc" onClick={onClose}>
						<X size={15} aria-hidden />
					</IconButton>
				</span>
			</div>
			<div className="min-h-0 flex-1 overflow-auto p-3">
				<div className="grid gap-4 sm:grid-cols-2">
					<Value title={TEXTS.input} value={row.example.input as Json} />
					<Value title={TEXTS.reference} value={row.example.output as Json} />
				</div>
				<section
					// biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
					tabIndex={0}
					aria-label={TEXTS.outputs}
					className="mt-4 grid gap-4 overflow-x-auto border-line border-t pt-3"
					style={{ gridTemplateColumns: `repeat(${experiments.length}, minmax(13rem, 1fr))` }}
				>
					{experiments.map(({ id, name, loaded }, index) => (
						<ComparedOutput
							key={id}
							name={name}
							isBase={index === 0}
							mayChange={mayChange}
							project={loaded?.project_name ?? undefined}
							compared={row.experiments.find(({ experiment_id }) => experiment_id === id)}
							run={runOf(id)}
							repetition={repetition}
							against={index > 0 && showsWords ? baseOutput : undefined}
						/>
					))}
				</section>
			</div>
		</section>
	);
}

function Value({ title, value }: { title: string; value: Json }): ReactNode {
	return (
		<section aria-label={title} className="min-w-0">
			<h3 className="mb-1 font-semibold text-muted text-sm">{title}</h3>
			<ReadableValue value={value} label={title} />
		</section>
	);
}

function Repetitions({
	numbers,
	value,
	onChange,
}: {
	numbers: readonly number[];
	value: number;
	onChange: (repetition: number) => void;
}): ReactNode {
	return (
		<span className="flex items-center gap-1.5 text-muted text-sm">
			{TEXTS.repetitions}
			<SegmentedControl
				label={TEXTS.repetitions}
				value={String(value)}
				onChange={(next) => onChange(Number(next))}
				choices={numbers.map((number) => ({ value: String(number), label: number }))}
			/>
		</span>
	);
}
