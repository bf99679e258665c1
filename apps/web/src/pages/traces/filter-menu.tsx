import ListFilter from "lucide-react/icons/list-filter";
import { type ReactNode, Suspense, useState } from "react";
import type { ChangeSearch } from "../../filtering/filter-values.ts";
import { texts } from "../../texts/en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Popover } from "../../ui/popover.tsx";
import type { TracesSearch } from "./search.ts";

const FilterForm = lazyPart(() => import("./filter-form.tsx"), "FilterForm");

/** The button that opens the form with all filters. */
export function FilterMenu({
	search,
	change,
}: {
	search: TracesSearch;
	change: ChangeSearch<TracesSearch>;
}): ReactNode {
	const [open, setOpen] = useState(false);
	return (
		<Popover
			label={texts.filter.addTitle}
			open={open}
			onOpenChange={setOpen}
			className="w-80"
			trigger={
				<button type="button" className={buttonClass("plain")}>
					<ListFilter size={14} aria-hidden />
					{texts.filter.add}
				</button>
			}
		>
			<Suspense>
				<FilterForm
					search={search}
					onApply={(next) => {
						setOpen(false);
						change(() => next);
					}}
				/>
			</Suspense>
		</Popover>
	);
}
