import { type ReactNode, type SyntheticEvent, useState } from "react";
import { addValue } from "../../filtering/filter-values.ts";
import { present } from "../../lib/search-params.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Field, Input } from "../../ui/input.tsx";
import { ALL_SPAN_KINDS, SpanKindLabel } from "../../ui/span-kind.tsx";
import type { TracesSearch } from "./search.ts";

const TEXT_FIELDS = ["name", "user", "session", "model"] as const;

/** The form with all simple filters. */
export function FilterForm({
	search,
	onApply,
}: {
	search: TracesSearch;
	onApply: (search: TracesSearch) => void;
}): ReactNode {
	const [error, setError] = useState(search.error);
	const [min, setMin] = useState(search.min === undefined ? "" : String(search.min));
	const [max, setMax] = useState(search.max === undefined ? "" : String(search.max));
	const [values, setValues] = useState({ name: "", user: "", session: "", model: "" });
	const [kinds, setKinds] = useState(search.kind ?? []);
	const [bad, setBad] = useState<"min" | "max" | undefined>();
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const least = toMilliseconds(min);
		const most = toMilliseconds(max);
		if (least === "bad") return setBad("min");
		if (most === "bad") return setBad("max");
		let next: TracesSearch = {
			...withoutRange(search),
			...present({
				error,
				min: least,
				max: most,
				kind: kinds.length > 0 ? kinds : undefined,
			}),
		};
		for (const field of TEXT_FIELDS) {
			const value = values[field].trim();
			if (value) next = addValue(next, field, value);
		}
		onApply(next);
	};
	return (
		<form onSubmit={submit} className="grid grid-cols-2 gap-x-2 gap-y-3">
			<fieldset className="col-span-2 flex gap-1">
				<legend className="mb-1 text-muted text-sm">{texts.filter.error}</legend>
				<Toggle isOn={error === "1"} onClick={() => setError(error === "1" ? undefined : "1")}>
					{texts.filter.errorOnly}
				</Toggle>
				<Toggle isOn={error === "0"} onClick={() => setError(error === "0" ? undefined : "0")}>
					{texts.filter.withoutError}
				</Toggle>
			</fieldset>
			<Field
				label={`${texts.filter.latency}: ${texts.filter.minLatency}`}
				error={bad === "min" ? texts.filter.badNumber : undefined}
			>
				<Input
					inputMode="decimal"
					value={min}
					onChange={(event) => setMin(event.target.value)}
					aria-invalid={bad === "min"}
				/>
			</Field>
			<Field label={texts.filter.maxLatency} error={bad === "max" ? texts.filter.badNumber : undefined}>
				<Input
					inputMode="decimal"
					value={max}
					onChange={(event) => setMax(event.target.value)}
					aria-invalid={bad === "max"}
				/>
			</Field>
			{TEXT_FIELDS.map((field) => (
				<Field key={field} label={texts.filter[field]}>
					<Input
						value={values[field]}
						placeholder={texts.filter.value}
						onChange={(event) => setValues({ ...values, [field]: event.target.value })}
					/>
				</Field>
			))}
			{search.view === "spans" && (
				<fieldset className="col-span-2 flex flex-wrap gap-1">
					<legend className="mb-1 text-muted text-sm">{texts.filter.kind}</legend>
					{ALL_SPAN_KINDS.map((kind) => (
						<Toggle
							key={kind}
							isOn={kinds.includes(kind)}
							onClick={() => setKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind])}
						>
							<SpanKindLabel kind={kind} />
						</Toggle>
					))}
				</fieldset>
			)}
			<Button type="submit" look="primary" className="col-start-2">
				{texts.filter.apply}
			</Button>
		</form>
	);
}

function withoutRange(search: TracesSearch): TracesSearch {
	const { error: _error, min: _min, max: _max, kind: _kind, ...rest } = search;
	return rest;
}

/** `1500`, `1500 ms`, `1.5s`. */
function toMilliseconds(text: string): number | undefined | "bad" {
	if (text.trim() === "") return undefined;
	const match = /^(\d+(?:\.\d+)?)\s*(ms|s)?$/.exec(text.trim());
	return match ? Number(match[1]) * (match[2] === "s" ? 1000 : 1) : "bad";
}

function Toggle({ isOn, onClick, children }: { isOn: boolean; onClick: () => void; children: ReactNode }): ReactNode {
	return (
		<button
			type="button"
			aria-pressed={isOn}
			onClick={onClick}
			className={classNames(
				"h-6 rounded border border-line px-2 text-sm hover:bg-hover",
				"aria-pressed:border-accent aria-pressed:bg-accent-soft",
			)}
		>
			{children}
		</button>
	);
}
