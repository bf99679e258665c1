import type { ReactNode } from "react";
import { dataTexts } from "../../../texts/data-en.ts";
import { Chip } from "../../../ui/chip.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { cellText } from "./cell-text.ts";
import type { Column, Preview } from "./columns.ts";

const TEXTS = dataTexts.upload;

/** The first rows as they are in the file. */
export function PreviewTable({ preview, columns }: { preview: Preview; columns: readonly Column[] }): ReactNode {
	const count = preview.rows.length;
	return (
		<div className="flex min-w-0 flex-col gap-1">
			<h3 className="font-semibold">{TEXTS.preview}</h3>
			<p className="text-muted text-sm">{preview.hasMore ? TEXTS.previewMore(count) : TEXTS.previewAll(count)}</p>
			<section
				// biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
				tabIndex={0}
				aria-label={TEXTS.preview}
				className="max-h-60 overflow-auto rounded border border-line"
			>
				<table className="border-collapse">
					<thead className="sticky top-0 bg-surface">
						<tr>
							{columns.map(({ name, role }) => (
								<th key={name} scope="col" className="h-8 whitespace-nowrap px-2 text-left font-normal text-sm">
									<span className={classNames("mr-1.5", role === "ignored" && "text-muted line-through")}>{name}</span>
									{role !== "ignored" && (
										<Chip tone={role === "input" || role === "output" ? "accent" : "plain"}>{TEXTS.role[role]}</Chip>
									)}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{preview.rows.map((row, index) => (
							<tr key={index} className="border-line border-t">
								{row.map((value, at) => (
									<td
										key={columns[at]?.name}
										className={classNames(
											"max-w-72 truncate px-2 py-1",
											columns[at]?.role === "ignored" && "text-muted",
										)}
									>
										{cellText(value)}
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</section>
		</div>
	);
}
