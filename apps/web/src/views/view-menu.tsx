import type { View } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Check from "lucide-react/icons/check";
import { type ReactNode, useEffect, useState } from "react";
import { api } from "../lib/api.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy-button.tsx";
import { errorText } from "../ui/error-state.tsx";
import { MenuItem, MenuLabel, MenuSeparator } from "../ui/menu.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";
import { type ListAddress, withoutState } from "./list-address.ts";
import { linkTo, withoutView, withView } from "./open-view.ts";
import { defaultViewsQuery, refreshViews, viewsQuery } from "./queries.ts";
import type { ListView } from "./use-list-view.ts";
import { useViewRights } from "./use-view-rights.ts";
import type { ViewDialog } from "./view-dialogs.tsx";
import { viewsTexts } from "./views-en.ts";

const TEXTS = viewsTexts.menu;

export interface ViewMenuProps {
	readonly list: ListView;
	readonly onChange: (address: ListAddress) => void;
	readonly onDialog: (dialog: ViewDialog) => void;
}

/** All views of a list, and what can be done with the open one. */
export function ViewMenu({ list, onChange, onDialog }: ViewMenuProps): ReactNode {
	const { project, page, view, address } = list;
	const { data: views, error, refetch } = useQuery(viewsQuery(project, page));
	const { maySave, whyNot, mayDelete } = useViewRights(project);
	const own = views?.filter(({ visibility }) => visibility === "private") ?? [];
	const shared = views?.filter(({ visibility }) => visibility === "shared") ?? [];
	const group = (label: string, of: readonly View[]) =>
		of.length > 0 && (
			<>
				<MenuLabel>{label}</MenuLabel>
				{of.map((each) => (
					<ViewItem key={each.id} view={each} list={list} onOpen={() => onChange(withView(address, each))} />
				))}
			</>
		);
	return (
		<>
			{error && !views ? (
				<div role="alert" className="flex items-center gap-2 p-2 text-danger text-sm">
					{errorText(error).message}
					<Button onClick={() => void refetch()}>{texts.action.retry}</Button>
				</div>
			) : views === undefined ? (
				<SkeletonRows rows={4} />
			) : views.length === 0 ? (
				<div className="p-2">
					<p className="font-medium">{TEXTS.none}</p>
					<p className="text-muted text-sm">{maySave ? TEXTS.noneText : whyNot}</p>
				</div>
			) : (
				<>
					{group(TEXTS.shared, shared)}
					{group(TEXTS.private, own)}
				</>
			)}
			{view && (
				<MenuItem icon={<span className="size-4" />} onClick={() => onChange(allRows(list))}>
					{TEXTS.without}
				</MenuItem>
			)}
			<MenuSeparator />
			{maySave && <MenuItem onClick={() => onDialog({ kind: "new" })}>{TEXTS.saveAs}</MenuItem>}
			{view && maySave && <MenuItem onClick={() => onDialog({ kind: "edit", view })}>{TEXTS.edit}</MenuItem>}
			{view && <CopyLink list={list} view={view} />}
			{view && view.visibility === "shared" && <DefaultItem list={list} view={view} />}
			{view && mayDelete(view) && (
				<MenuItem danger onClick={() => onDialog({ kind: "delete", view })}>
					{TEXTS.remove}
				</MenuItem>
			)}
			{whyNot && views && views.length > 0 && <p className="max-w-64 px-2 py-1 text-muted text-sm">{whyNot}</p>}
		</>
	);
}

/** The address of the same list with all its rows. */
function allRows({ page, address }: ListView): ListAddress {
	return withoutView({ page, address: withoutState(address) });
}

function ViewItem({ view, list, onOpen }: { view: View; list: ListView; onOpen: () => void }): ReactNode {
	const { data: defaults } = useQuery(defaultViewsQuery(list.project));
	const isDefault = defaults?.[view.page] === view.id;
	return (
		<MenuItem
			icon={
				<span className="flex size-4 items-center">{list.view?.id === view.id && <Check size={14} aria-hidden />}</span>
			}
			hint={isDefault ? TEXTS.isDefault : view.project_id === null ? TEXTS.everywhere : undefined}
			onClick={onOpen}
		>
			<span title={view.name}>{view.name}</span>
		</MenuItem>
	);
}

function DefaultItem({ list, view }: { list: ListView; view: View }): ReactNode {
	const { project, page } = list;
	const queries = useQueryClient();
	const { mayChooseDefault } = useViewRights(project);
	const { data: defaults } = useQuery(defaultViewsQuery(project));
	const isDefault = defaults?.[page] === view.id;
	const choose = useMutation({
		mutationFn: () =>
			api.put("/v1/projects/{project_identifier}/default_views", {
				path: { project_identifier: project },
				body: { [page]: isDefault ? null : view.id },
			}),
		onSuccess: ({ data }) => {
			queries.setQueryData(defaultViewsQuery(project).queryKey, data);
			return refreshViews(queries);
		},
	});
	if (!mayChooseDefault || defaults === undefined) return null;
	return <MenuItem onClick={() => choose.mutate()}>{isDefault ? TEXTS.noDefault : TEXTS.makeDefault}</MenuItem>;
}

const SHOWN_MS = 2_000;

function CopyLink({ list, view }: { list: ListView; view: View }): ReactNode {
	const [said, setSaid] = useState("");
	useEffect(() => {
		if (said === "") return;
		const timer = setTimeout(() => setSaid(""), SHOWN_MS);
		return () => clearTimeout(timer);
	}, [said]);
	const copy = () => {
		copyText(linkTo(list.project, view)).then(
			() => setSaid(TEXTS.copied),
			() => setSaid(texts.state.copyRefused),
		);
	};
	return (
		<MenuItem closeOnClick={false} hint={<span role="status">{said}</span>} onClick={copy}>
			{TEXTS.copyLink}
		</MenuItem>
	);
}
