import type { AnalyticsSchema } from "@spanward/client";
import { type ReactNode, useState } from "react";
import { analyticsTexts } from "../texts/analytics-en.ts";
import { Button } from "../ui/button.tsx";
import { Labelled } from "../ui/labelled.tsx";
import { Select } from "../ui/select.tsx";
import { type AnalyticsQuery, standardDistribution } from "./chart.ts";
import { withKey } from "./groups.ts";
import { KeyField } from "./measure-picker.tsx";

const TEXTS = analyticsTexts.form;
const ATTRIBUTE = "attributes['…']";

/** The number whose spread is asked for, and how its bins are made. */
export function SpreadFields({
	rows,
	query,
	onChange,
	keys,
}: {
	rows: AnalyticsSchema["rows"][number];
	query: AnalyticsQuery;
	onChange: (change: { readonly distribution?: string; readonly scale?: AnalyticsQuery["scale"] | undefined }) => void;
	/** Keys of attributes that there are, for suggestions. */
	keys: readonly string[];
}): ReactNode {
	const shown = query.distribution ?? standardDistribution(query.of);
	const [isKeyed, setKeyed] = useState(false);
	const [key, setKey] = useState("");
	const add = () => {
		onChange({ distribution: withKey(ATTRIBUTE, key.trim()) });
		setKeyed(false);
	};
	return (
		<>
			<Labelled label={TEXTS.distribution}>
				<Select
					value={isKeyed ? ATTRIBUTE : shown}
					onChange={(next) => {
						setKeyed(next === ATTRIBUTE);
						if (next !== ATTRIBUTE) onChange({ distribution: next });
					}}
					choices={[...new Set([shown, ...rows.number_fields, ATTRIBUTE])].map((value) => ({ value, label: value }))}
				/>
			</Labelled>
			{isKeyed && (
				<span className="flex items-end gap-2">
					<KeyField label={TEXTS.attributeKey} value={key} onChange={setKey} keys={keys} onEnter={add} />
					<Button disabled={key.trim() === ""} onClick={add}>
						{TEXTS.add}
					</Button>
				</span>
			)}
			<Labelled label={TEXTS.scale}>
				<Select<"standard" | "log" | "linear">
					value={query.scale ?? "standard"}
					onChange={(next) => onChange({ scale: next === "standard" ? undefined : next })}
					choices={(["standard", "log", "linear"] as const).map((value) => ({ value, label: TEXTS.scales[value] }))}
				/>
			</Labelled>
		</>
	);
}
