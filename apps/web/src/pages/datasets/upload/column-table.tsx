import type { ReactNode } from "react";
import { dataTexts } from "../../../texts/data-en.ts";
import type { Json } from "../../../ui/content/json-value.ts";
import { Select } from "../../../ui/select.tsx";
import { cellText } from "./cell-text.ts";
import { type Column, ROLES } from "./columns.ts";

const TEXTS = dataTexts.upload;
const HEAD = "h-7 px-2 text-left font-normal";

/** The choice of each column's role. */
export function ColumnTable({
	columns,
	first,
	onChange,
}: {
	columns: readonly Column[];
	/** The first row, as an example of the columns' values. */
	first: readonly (Json | undefined)[];
	onChange: (name: string, change: Partial<Column>) => void;
}): ReactNode {
	return (
		<section aria-label={TEXTS.columns} className="flex flex-col gap-1">
			<h3 className="font-semibold">{TEXTS.columns}</h3>
			<p className="text-muted text-sm">{TEXTS.columnsHint}</p>
			<div className="max-h-72 overflow-auto rounded border border-line">
				<table className="w-full table-fixed border-collapse">
					<thead className="sticky top-0 bg-sunken">
						<tr className="text-muted text-sm">
							<th scope="col" className={HEAD}>
								{TEXTS.column}
							</th>
							<th scope="col" className={`${HEAD} w-32`}>
								{TEXTS.use}
							</th>
							<th scope="col" className={`${HEAD} w-20 max-sm:hidden`} title={TEXTS.spreadHint}>
								{TEXTS.spread}
							</th>
							<th scope="col" className={`${HEAD} max-sm:hidden`}>
								{TEXTS.sample}
							</th>
						</tr>
					</thead>
					<tbody>
						{columns.map((column, index) => (
							<tr key={column.name} className="border-line border-t">
								<th scope="row" className="truncate px-2 text-left font-normal" title={column.name}>
									{column.name}
								</th>
								<td className="px-2 py-1">
									<Select
										label={TEXTS.roleOf(column.name)}
										value={column.role}
										onChange={(role) => onChange(column.name, { role })}
										choices={ROLES.map((value) => ({ value, label: TEXTS.role[value] }))}
										className="w-full"
									/>
								</td>
								<td className="px-2 max-sm:hidden">
									{column.holdsObjects && ["input", "output", "metadata"].includes(column.role) && (
										<input
											type="checkbox"
											aria-label={TEXTS.spreadLabel(column.name)}
											checked={column.spread}
											onChange={(event) => onChange(column.name, { spread: event.target.checked })}
										/>
									)}
								</td>
								<td className="truncate px-2 text-muted max-sm:hidden">{cellText(first[index])}</td>
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</section>
	);
}
