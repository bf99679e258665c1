import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { fieldLabel } from "../../analytics/groups.ts";
import { dashboardTexts } from "../../texts/dashboards-en.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { MenuButton } from "../../ui/menu-button.tsx";
import { Popover } from "../../ui/popover.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { choicesQuery } from "./queries.ts";

const TEXTS = dashboardTexts.controls;
const CHOICE =
	"flex min-h-7 w-full items-center rounded px-2 text-left hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:text-accent pointer-coarse:min-h-11";

/** The values of a field, one of which narrows every widget. */
export function ControlMenu({
	project,
	field,
	range,
	chosen,
	onChoose,
}: {
	project: string | undefined;
	field: string;
	/** In which the values occur. */
	range: string;
	/** A filter. */
	chosen: string | undefined;
	onChoose: (filter: string | undefined) => void;
}): ReactNode {
	const [isOpen, setOpen] = useState(false);
	const { data, error, refetch } = useQuery({ ...choicesQuery(project, field, range), enabled: isOpen });
	const label = fieldLabel(field);
	const named = data?.find(({ filter }) => filter === chosen)?.label ?? chosen;
	const choose = (filter: string | undefined) => {
		setOpen(false);
		onChoose(filter);
	};
	return (
		<Popover
			label={TEXTS.choices(label)}
			open={isOpen}
			onOpenChange={setOpen}
			className="w-64 p-1"
			trigger={<MenuButton label={label} value={named ?? TEXTS.all} />}
		>
			<button type="button" aria-pressed={chosen === undefined} className={CHOICE} onClick={() => choose(undefined)}>
				{TEXTS.all}
			</button>
			{data?.map(({ label: value, filter }) => (
				<button
					key={filter}
					type="button"
					title={filter}
					aria-pressed={filter === chosen}
					className={CHOICE}
					onClick={() => choose(filter)}
				>
					<span className="truncate">{value}</span>
				</button>
			))}
			{data?.length === 0 && <p className="px-2 py-1 text-muted">{TEXTS.noChoices}</p>}
			{data === undefined &&
				(error === null ? <SkeletonRows rows={3} /> : <ErrorState error={error} onRetry={() => void refetch()} />)}
		</Popover>
	);
}
