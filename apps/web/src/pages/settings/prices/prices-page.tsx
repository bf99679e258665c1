import type { ModelPrice } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Ellipsis from "lucide-react/icons/ellipsis";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useRef, useState } from "react";
import { api } from "../../../lib/api.ts";
import { formatCost } from "../../../lib/format.ts";
import { useCan } from "../../../lib/me.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Chip } from "../../../ui/chip.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { SegmentedControl } from "../../../ui/segmented-control.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { TypedSearch } from "../../../ui/typed-search.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { PriceDialog } from "./price-dialog.tsx";
import { pricePages } from "./price-queries.ts";

const TEXTS = dataSettingsTexts.prices;
const route = getRouteApi("/settings/prices");
type Task = { readonly kind: "write" | "delete"; readonly price: ModelPrice } | { readonly kind: "new" };
type Origin = "all" | "own" | "built_in";

/** The prices of tokens: built-in ones, and those set by admins. */
export function PricesPage(): ReactNode {
	const can = useCan();
	const { q = "" } = route.useSearch();
	const navigate = route.useNavigate();
	const [origin, setOrigin] = useState<Origin>("all");
	const [task, setTask] = useState<Task | undefined>();
	const search = useRef<HTMLInputElement>(null);
	const query = useInfiniteQuery(pricePages(q, origin === "all" ? undefined : origin));
	useTableKeys(query, { searchField: search });
	const isAdmin = can("admin");
	const close = () => setTask(undefined);
	const find = (words: string) => void navigate({ search: words ? { q: words } : {}, replace: true });
	const create = isAdmin && (
		<Button look="primary" onClick={() => setTask({ kind: "new" })}>
			<Plus size={14} aria-hidden />
			{TEXTS.new}
		</Button>
	);
	return (
		<SectionPage title={texts.settings.prices} intro={TEXTS.intro} action={create}>
			<div className="flex flex-wrap items-center gap-2">
				<TypedSearch label={TEXTS.search} words={q} onWords={find} inputRef={search} />
				<SegmentedControl
					label={TEXTS.origin}
					value={origin}
					onChange={setOrigin}
					choices={[
						{ value: "all", label: TEXTS.all },
						{ value: "own", label: TEXTS.own },
						{ value: "built_in", label: TEXTS.builtIn },
					]}
				/>
				<span className="text-muted text-sm">{TEXTS.unit}</span>
			</div>
			{!isAdmin && <p className="text-muted">{TEXTS.readOnly}</p>}
			<Loaded data={query.data} query={query}>
				{(data) => {
					const prices = data.pages.flatMap((page) => page.data);
					if (prices.length === 0)
						return (
							<EmptyState
								title={q ? TEXTS.none : TEXTS.noneOwn}
								text={q ? undefined : TEXTS.noneOwnText}
								actions={q ? <Button onClick={() => find("")}>{TEXTS.showAll}</Button> : create}
							/>
						);
					return (
						<>
							<Table
								label={texts.settings.prices}
								columns={isAdmin ? [...COLUMNS, actionColumn(setTask)] : COLUMNS}
								rows={prices}
								rowKey={(price) => price.id}
							/>
							<MoreRows query={query} what={TEXTS.more} />
						</>
					);
				}}
			</Loaded>
			{task?.kind === "new" && <PriceDialog onClose={close} />}
			{task?.kind === "write" && <PriceDialog price={task.price} onClose={close} />}
			{task?.kind === "delete" && <DeleteDialog price={task.price} onClose={close} />}
		</SectionPage>
	);
}

function dollars(value: number | null | undefined): ReactNode {
	return value === null || value === undefined ? (
		<span className="text-muted">{texts.state.unknown}</span>
	) : (
		formatCost(value)
	);
}

const COLUMNS: TableColumn<ModelPrice>[] = [
	{
		key: "model",
		title: TEXTS.column.model,
		cell: (price) => (
			<>
				<span className="flex min-w-0 items-center gap-2">
					<span className="truncate font-medium">{price.name}</span>
					{price.origin === "own" && <Chip tone="accent">{TEXTS.own}</Chip>}
					{price.tiers.length > 0 && <Chip>{TEXTS.tiers(price.tiers.length)}</Chip>}
					{price.hours && <Chip>{TEXTS.hours(price.hours.from, price.hours.to)}</Chip>}
				</span>
				<span className="block truncate text-muted text-sm">
					{[price.provider ?? TEXTS.anyProvider, rule(price)].filter((text) => text !== "").join(" · ")}
				</span>
			</>
		),
	},
	{
		key: "input",
		title: TEXTS.column.input,
		align: "right",
		className: "w-20",
		cell: ({ prices }) => dollars(prices.input),
	},
	{
		key: "output",
		title: TEXTS.column.output,
		align: "right",
		className: "w-20",
		cell: ({ prices }) => dollars(prices.output),
	},
	{
		key: "cache",
		title: TEXTS.column.cache,
		align: "right",
		className: "w-24 max-sm:hidden",
		cell: ({ prices }) => dollars(prices.cache_read),
	},
	{
		key: "from",
		title: TEXTS.column.from,
		className: "w-28 max-md:hidden",
		cell: ({ start_time: start }) =>
			start === null ? <span className="text-muted">{TEXTS.always}</span> : start.slice(0, 10),
	},
];

function rule({ match, pattern, name }: ModelPrice): string {
	if (match === null || pattern === null) return TEXTS.rules;
	return match === "exact" && pattern === name.toLowerCase() ? "" : `${TEXTS.match[match]} ${pattern}`;
}

function actionColumn(onTask: (task: Task) => void): TableColumn<ModelPrice> {
	return {
		key: "actions",
		title: TEXTS.column.actions,
		hideTitle: true,
		align: "right",
		className: "w-12",
		cell: (price) =>
			price.origin === "built_in" ? (
				<IconButton label={TEXTS.asOwn(price.name)} onClick={() => onTask({ kind: "write", price })}>
					<Plus size={14} aria-hidden />
				</IconButton>
			) : (
				<Menu
					align="end"
					trigger={
						<IconButton label={TEXTS.actionsFor(price.name)}>
							<Ellipsis size={15} aria-hidden />
						</IconButton>
					}
				>
					<MenuItem onClick={() => onTask({ kind: "write", price })}>{TEXTS.edit}</MenuItem>
					<MenuItem danger onClick={() => onTask({ kind: "delete", price })}>
						{TEXTS.delete}
					</MenuItem>
				</Menu>
			),
	};
}

function DeleteDialog({ price, onClose }: { price: ModelPrice; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/model_prices/{price_id}", { path: { price_id: price.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["model-prices"] });
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(price.name)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}
