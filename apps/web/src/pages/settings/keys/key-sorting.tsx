import type { ReactNode } from "react";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Select } from "../../../ui/select.tsx";
import type { KeySorting } from "./key-queries.ts";

const TEXTS = settingsTexts.keys;

/** How a list of keys is sorted, and whether it has only those that nothing uses. */
export function KeySortingFields({
	sorting,
	onChange,
}: {
	sorting: KeySorting;
	onChange: (sorting: KeySorting) => void;
}): ReactNode {
	return (
		<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
			<Select
				label={TEXTS.sorted}
				value={sorting.sort}
				onChange={(sort) => onChange({ ...sorting, sort })}
				choices={(["created_at", "last_used_at"] as const).map((value) => ({ value, label: TEXTS.sortedBy[value] }))}
			/>
			<label className="flex items-center gap-2">
				<input
					type="checkbox"
					checked={sorting.unused}
					onChange={(event) => onChange({ ...sorting, unused: event.target.checked })}
				/>
				{TEXTS.unused}
			</label>
		</div>
	);
}
