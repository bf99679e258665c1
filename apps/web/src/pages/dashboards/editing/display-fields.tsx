import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { dashboardTexts } from "../../../texts/dashboards-en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Input } from "../../../ui/input.tsx";
import { Labelled } from "../../../ui/labelled.tsx";
import { Select } from "../../../ui/select.tsx";
import type { Widget } from "../widget-question.ts";

const TEXTS = dashboardTexts.editor;
const AS_FITS = "auto";
const MOST_DECIMALS = 6;
const MOST_THRESHOLDS = 10;
type Display = Widget["display"];
type Threshold = NonNullable<Display["thresholds"]>[number];

/** How the numbers of a widget are written and marked, and whether its lines are named. */
export function DisplayFields({
	kind,
	display,
	onChange,
}: {
	kind: Widget["kind"];
	display: Display;
	onChange: (display: Display) => void;
}): ReactNode {
	const isSpread = kind === "histogram" || kind === "heatmap";
	return (
		<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
			<Labelled label={TEXTS.unit}>
				<Input
					className="w-28"
					maxLength={20}
					placeholder={TEXTS.unitOfMeasure}
					value={display.unit ?? ""}
					onChange={({ target: { value } }) => {
						const { unit: _unit, ...rest } = display;
						onChange(value.trim() === "" ? rest : { ...rest, unit: value });
					}}
				/>
			</Labelled>
			<Labelled label={TEXTS.decimals}>
				<Select
					value={display.decimals === undefined ? AS_FITS : String(display.decimals)}
					onChange={(value) => {
						const { decimals: _decimals, ...rest } = display;
						onChange(value === AS_FITS ? rest : { ...rest, decimals: Number(value) });
					}}
					choices={[
						{ value: AS_FITS, label: TEXTS.asFits },
						...decimalsOffered(display.decimals).map((each) => ({ value: String(each), label: String(each) })),
					]}
				/>
			</Labelled>
			{kind === "time_series" && (
				<Labelled label={TEXTS.legend}>
					<input
						type="checkbox"
						checked={display.legend !== false}
						onChange={({ target }) => {
							const { legend: _legend, ...rest } = display;
							onChange(target.checked ? rest : { ...rest, legend: false });
						}}
					/>
				</Labelled>
			)}
			{!isSpread && (
				<Thresholds
					thresholds={display.thresholds ?? []}
					onChange={(thresholds) => {
						const { thresholds: _thresholds, ...rest } = display;
						onChange(thresholds.length === 0 ? rest : { ...rest, thresholds });
					}}
				/>
			)}
		</div>
	);
}

function decimalsOffered(chosen: number | undefined): readonly number[] {
	const usual = Array.from({ length: MOST_DECIMALS + 1 }, (_, index) => index);
	return chosen === undefined || chosen <= MOST_DECIMALS ? usual : [...usual, chosen];
}

function Thresholds({
	thresholds,
	onChange,
}: {
	thresholds: readonly Threshold[];
	onChange: (thresholds: Threshold[]) => void;
}): ReactNode {
	const put = (at: number, change: Partial<Threshold>) =>
		onChange(thresholds.map((each, index) => (index === at ? { ...each, ...change } : each)));
	return (
		<fieldset className="flex flex-wrap items-center gap-2" title={TEXTS.thresholdsHint}>
			<legend className="sr-only">{TEXTS.thresholds}</legend>
			{thresholds.map((threshold, index) => (
				// Fields keep what is typed until one is added or removed.
				<span key={`${index} of ${thresholds.length}`} className="flex items-center gap-1">
					<Input
						type="number"
						step="any"
						className="w-24"
						aria-label={TEXTS.thresholdValue(index + 1)}
						defaultValue={threshold.value}
						onChange={({ target }) => {
							if (Number.isFinite(target.valueAsNumber)) put(index, { value: target.valueAsNumber });
						}}
					/>
					<Select
						label={TEXTS.thresholdColor(index + 1)}
						value={threshold.color}
						onChange={(color) => put(index, { color })}
						choices={(["warning", "danger"] as const).map((value) => ({ value, label: TEXTS.thresholdColors[value] }))}
					/>
					<IconButton
						label={TEXTS.removeThreshold(index + 1)}
						onClick={() => onChange(thresholds.filter((_, at) => at !== index))}
					>
						<X size={13} aria-hidden />
					</IconButton>
				</span>
			))}
			{thresholds.length < MOST_THRESHOLDS && (
				<Button look="quiet" onClick={() => onChange([...thresholds, { value: 0, color: "warning" }])}>
					<Plus size={14} aria-hidden />
					{TEXTS.addThreshold}
				</Button>
			)}
		</fieldset>
	);
}
