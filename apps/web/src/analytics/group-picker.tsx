import type { AnalyticsSchema } from "@spanward/client";
import Check from "lucide-react/icons/check";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { type ReactNode, useState } from "react";
import { analyticsTexts } from "../texts/analytics-en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { SearchInput } from "../ui/input.tsx";
import { Popover } from "../ui/popover.tsx";
import { Select } from "../ui/select.tsx";
import { fieldLabel, withKey } from "./groups.ts";
import { KeyField } from "./measure-picker.tsx";

const TEXTS = analyticsTexts.form;
const MOST = 2;

export interface GroupPickerProps {
	readonly rows: AnalyticsSchema["rows"][number];
	readonly groups: readonly string[];
	readonly onChange: (groups: readonly string[]) => void;
	/** Keys that there are for a field of the schema such as `attributes['…']`. */
	readonly keysOf: (template: string) => readonly string[];
}

/** What a question is split by: a button with the names, behind it all that there are. */
export function GroupPicker({ rows, groups, onChange, keysOf }: GroupPickerProps): ReactNode {
	const [words, setWords] = useState("");
	const isFull = groups.length >= MOST;
	const named = rows.groups.filter(({ name }) => !name.includes("…"));
	const keyed = groups
		.filter((group) => !named.some(({ name }) => name === group))
		.map((name) => ({ name, description: name }));
	const fits = [...keyed, ...named].filter(({ name }) =>
		`${name} ${fieldLabel(name)}`.toLowerCase().includes(words.trim().toLowerCase()),
	);
	const templates = rows.groups.filter(({ name }) => name.includes("…")).map(({ name }) => name);
	return (
		<Popover
			label={TEXTS.groups}
			className="w-80"
			trigger={
				<button type="button" className={buttonClass("plain", "min-w-0 max-w-full shrink")}>
					<span className="text-muted">{TEXTS.groups}</span>
					<span className="truncate">{groups.length === 0 ? TEXTS.noGroup : groups.map(fieldLabel).join(", ")}</span>
					<ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
				</button>
			}
		>
			<div className="flex flex-col gap-3">
				<SearchInput
					label={TEXTS.findGroup}
					placeholder={TEXTS.findGroup}
					value={words}
					onChange={(event) => setWords(event.target.value)}
					boxClassName="w-full"
				/>
				<ul className="max-h-72 overflow-auto">
					{fits.map(({ name, description }) => {
						const at = groups.indexOf(name);
						return (
							<li key={name}>
								<button
									type="button"
									title={description}
									aria-pressed={at >= 0}
									disabled={at < 0 && isFull}
									onClick={() => onChange(at >= 0 ? groups.filter((each) => each !== name) : [...groups, name])}
									className="flex min-h-7 w-full items-center gap-2 rounded px-1 text-left hover:bg-hover disabled:opacity-50 pointer-coarse:min-h-11"
								>
									<span className="flex size-4 items-center">{at >= 0 && <Check size={14} aria-hidden />}</span>
									<span className="truncate">{fieldLabel(name)}</span>
								</button>
							</li>
						);
					})}
					{fits.length === 0 && <li className="text-muted">{TEXTS.noGroupFound}</li>}
				</ul>
				{isFull && <p className="text-muted text-sm">{TEXTS.mostGroups}</p>}
				{templates.length > 0 && (
					<KeyForm
						templates={templates}
						keysOf={keysOf}
						isFull={isFull}
						onAdd={(group) => onChange([...new Set([...groups, group])])}
					/>
				)}
			</div>
		</Popover>
	);
}

function KeyForm({
	templates,
	keysOf,
	isFull,
	onAdd,
}: {
	templates: readonly string[];
	keysOf: GroupPickerProps["keysOf"];
	isFull: boolean;
	onAdd: (group: string) => void;
}): ReactNode {
	const [template, setTemplate] = useState(templates[0] ?? "");
	const [key, setKey] = useState("");
	const add = () => {
		onAdd(withKey(template, key.trim()));
		setKey("");
	};
	return (
		<fieldset className="flex flex-col gap-2 border-line border-t pt-3">
			<legend className="sr-only">{TEXTS.byKey}</legend>
			<Select
				label={TEXTS.byKey}
				value={template}
				onChange={setTemplate}
				choices={templates.map((each) => ({ value: each, label: each }))}
			/>
			<div className="flex items-end gap-2">
				<KeyField label={TEXTS.key} value={key} onChange={setKey} keys={keysOf(template)} onEnter={add} />
				<Button disabled={isFull || key.trim() === ""} onClick={add}>
					{TEXTS.add}
				</Button>
			</div>
		</fieldset>
	);
}
