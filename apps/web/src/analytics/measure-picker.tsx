import type { AnalyticsSchema } from "@spanward/client";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { type ReactNode, useState } from "react";
import { analyticsTexts } from "../texts/analytics-en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { Field, Input, SearchInput } from "../ui/input.tsx";
import { Popover } from "../ui/popover.tsx";
import { Select } from "../ui/select.tsx";
import type { AnalyticsRows } from "./chart.ts";
import { withKey } from "./groups.ts";
import { measureLabel, type Unit, unitOf } from "./measures.ts";

const TEXTS = analyticsTexts.form;
const MOST = 8;
const UNITS: readonly Unit[] = ["rows", "rate", "ms", "usd", "tokens", "number"];
const ATTRIBUTE = "attributes['…']";

export interface MeasurePickerProps {
	readonly rows: AnalyticsSchema["rows"][number];
	readonly functions: readonly string[];
	readonly measures: readonly string[];
	readonly onChange: (measures: readonly string[]) => void;
	/** Keys of attributes that there are, for suggestions. */
	readonly keys: readonly string[];
}

/** The measures of a question: a button with their names, behind it all that there are. */
export function MeasurePicker({ rows, functions, measures, onChange, keys }: MeasurePickerProps): ReactNode {
	const of = rows.of;
	return (
		<Popover
			label={TEXTS.measures}
			className="w-80"
			trigger={
				<button type="button" className={buttonClass("plain", "min-w-0 max-w-full shrink")}>
					<span className="sr-only">{TEXTS.measures}</span>
					<span className="truncate">{measures.map((measure) => measureLabel(measure, of)).join(", ")}</span>
					<ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
				</button>
			}
		>
			<div className="flex flex-col gap-3">
				<MeasureList {...{ rows, measures, onChange }} />
				{measures.length >= MOST && <p className="text-muted text-sm">{TEXTS.mostMeasures}</p>}
				<FunctionForm
					rows={rows}
					functions={functions}
					keys={keys}
					isFull={measures.length >= MOST}
					onAdd={(measure) => onChange([...new Set([...measures, measure])])}
				/>
			</div>
		</Popover>
	);
}

function MeasureList({
	rows,
	measures,
	onChange,
}: Pick<MeasurePickerProps, "rows" | "measures" | "onChange">): ReactNode {
	const [words, setWords] = useState("");
	const known = rows.measures.map(({ name, description }) => ({ name, description }));
	const functions = measures
		.filter((measure) => !known.some(({ name }) => name === measure))
		.map((name) => ({ name, description: name }));
	const fits = [...functions, ...known].filter(({ name }) =>
		`${name} ${measureLabel(name, rows.of)}`.toLowerCase().includes(words.trim().toLowerCase()),
	);
	return (
		<>
			<SearchInput
				label={TEXTS.findMeasure}
				placeholder={TEXTS.findMeasure}
				value={words}
				onChange={(event) => setWords(event.target.value)}
				boxClassName="w-full"
			/>
			<div className="flex max-h-72 flex-col gap-2 overflow-auto">
				{UNITS.map((unit) => {
					const ofUnit = fits.filter(({ name }) => unitOf(name) === unit);
					if (ofUnit.length === 0) return null;
					return (
						<fieldset key={unit}>
							<legend className="text-muted text-sm">{analyticsTexts.measureKind[unit]}</legend>
							{ofUnit.map(({ name, description }) => {
								const isChosen = measures.includes(name);
								return (
									<label
										key={name}
										title={description}
										className="flex min-h-7 items-center gap-2 rounded px-1 hover:bg-hover pointer-coarse:min-h-11"
									>
										<input
											type="checkbox"
											checked={isChosen}
											disabled={isChosen ? measures.length === 1 : measures.length >= MOST}
											onChange={() =>
												onChange(isChosen ? measures.filter((each) => each !== name) : [...measures, name])
											}
										/>
										<span className="truncate">{measureLabel(name, rows.of)}</span>
									</label>
								);
							})}
						</fieldset>
					);
				})}
				{fits.length === 0 && <p className="text-muted">{TEXTS.noMeasure}</p>}
			</div>
		</>
	);
}

function FunctionForm({
	rows,
	functions,
	keys,
	isFull,
	onAdd,
}: Pick<MeasurePickerProps, "rows" | "functions" | "keys"> & {
	isFull: boolean;
	onAdd: (measure: string) => void;
}): ReactNode {
	const [name, setName] = useState(functions.includes("avg") ? "avg" : (functions[0] ?? ""));
	const [field, setField] = useState(ATTRIBUTE);
	const [key, setKey] = useState("");
	const isAttribute = field === ATTRIBUTE;
	if (functions.length === 0) return null;
	const add = () => {
		onAdd(`${name}(${isAttribute ? withKey(ATTRIBUTE, key.trim()) : field})`);
		setKey("");
	};
	return (
		<fieldset className="flex flex-col gap-2 border-line border-t pt-3">
			<legend className="sr-only">{TEXTS.function}</legend>
			<p className="text-muted text-sm">{TEXTS.function}</p>
			<div className="flex gap-2">
				<Select
					label={TEXTS.function}
					value={name}
					onChange={setName}
					choices={functions.map((each) => ({ value: each, label: each }))}
				/>
				<Select
					label={TEXTS.number}
					value={field}
					onChange={setField}
					className="flex-1"
					choices={[ATTRIBUTE, ...rows.number_fields].map((each) => ({ value: each, label: each }))}
				/>
			</div>
			<div className="flex items-end gap-2">
				{isAttribute && <KeyField label={TEXTS.attributeKey} value={key} onChange={setKey} keys={keys} onEnter={add} />}
				<Button disabled={isFull || (isAttribute && key.trim() === "")} onClick={add}>
					{TEXTS.add}
				</Button>
			</div>
		</fieldset>
	);
}

/** A key that is written, with those that there are as suggestions. */
export function KeyField({
	label,
	value,
	onChange,
	keys,
	onEnter,
}: {
	label: string;
	value: string;
	onChange: (key: string) => void;
	keys: readonly string[];
	onEnter: () => void;
}): ReactNode {
	const list = `keys-${label}`.replaceAll(/\W/g, "-");
	return (
		<div className="min-w-0 flex-1">
			<Field label={label}>
				<Input
					value={value}
					list={list}
					onChange={(event) => onChange(event.target.value)}
					onKeyDown={(event) => {
						if (event.key !== "Enter" || value.trim() === "") return;
						event.preventDefault();
						onEnter();
					}}
				/>
			</Field>
			<datalist id={list}>
				{keys.map((key) => (
					<option key={key} value={key} />
				))}
			</datalist>
		</div>
	);
}

/** What rows can be asked about, of the schema; undefined for rows that this server does not know. */
export function rowsOf(schema: AnalyticsSchema, of: AnalyticsRows): AnalyticsSchema["rows"][number] | undefined {
	return schema.rows.find((rows) => rows.of === of);
}
