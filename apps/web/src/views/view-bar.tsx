import { useMutation, useQueryClient } from "@tanstack/react-query";
import Bookmark from "lucide-react/icons/bookmark";
import { type ReactNode, Suspense, useState } from "react";
import { api } from "../lib/api.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { errorText } from "../ui/error-state.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Menu } from "../ui/menu.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";
import type { ListAddress } from "./list-address.ts";
import { toState } from "./list-state.ts";
import { withoutView, withView } from "./open-view.ts";
import { refreshViews } from "./queries.ts";
import type { ListView } from "./use-list-view.ts";
import { useViewRights } from "./use-view-rights.ts";
import type { ViewDialog } from "./view-dialogs.tsx";
import { viewsTexts as TEXTS } from "./views-en.ts";

const ViewMenu = lazyPart(() => import("./view-menu.tsx"), "ViewMenu");
const ViewDialogs = lazyPart(() => import("./view-dialogs.tsx"), "ViewDialogs", { isOver: true });

export interface ViewBarProps {
	readonly list: ListView;
	/** The layout of the columns in this browser, which is saved where the address has none. */
	readonly columns: string | undefined;
	readonly onChange: (address: ListAddress, replace?: boolean) => void;
}

/** The open view of a list and what can be done with it, and the menu of all. */
export function ViewBar({ list, columns, onChange }: ViewBarProps): ReactNode {
	const { project, view, isEdited, error, address } = list;
	const queries = useQueryClient();
	const { maySave, whyNot } = useViewRights(project);
	const [dialog, setDialog] = useState<ViewDialog | undefined>();
	const shown = columns === undefined || address["cols"] !== undefined ? address : { ...address, cols: columns };
	const save = useMutation({
		mutationFn: (id: string) =>
			api.patch("/v1/views/{view_id}", { path: { view_id: id }, body: { state: toState(shown) } }),
		onSuccess: async ({ data }) => {
			await refreshViews(queries, data);
			onChange(withView(address, data), true);
		},
	});
	return (
		<div className="flex min-w-0 flex-wrap items-center gap-1">
			<Menu
				className="w-72"
				trigger={
					<button
						type="button"
						aria-label={view ? TEXTS.open(view.name) : TEXTS.views}
						className={buttonClass("plain", "max-w-56")}
					>
						<Bookmark size={14} aria-hidden className={view ? "shrink-0 fill-current text-accent" : "shrink-0"} />
						<span className="truncate">{view?.name ?? TEXTS.views}</span>
					</button>
				}
			>
				<Suspense fallback={<SkeletonRows rows={4} />}>
					<ViewMenu list={list} onChange={onChange} onDialog={setDialog} />
				</Suspense>
			</Menu>
			{view && isEdited && (
				<>
					<span className="px-1 text-muted text-sm italic">{TEXTS.edited}</span>
					{maySave && (
						<>
							<Button
								look="quiet"
								className="text-accent"
								title={TEXTS.saveTitle(view.name)}
								disabled={save.isPending}
								onClick={() => save.mutate(view.id)}
							>
								{TEXTS.save}
							</Button>
							<Button look="quiet" onClick={() => setDialog({ kind: "new" })}>
								{TEXTS.saveAs}
							</Button>
						</>
					)}
					<Button look="quiet" title={TEXTS.resetTitle(view.name)} onClick={() => onChange(withView(address, view))}>
						{TEXTS.reset}
					</Button>
					{whyNot && <span className="text-muted text-sm max-sm:sr-only">{whyNot}</span>}
				</>
			)}
			{error && (
				<p role="alert" className="flex items-center gap-1 text-sm text-warn">
					{isMissing(error) ? TEXTS.gone : errorText(error).message}
					<Button look="quiet" onClick={() => onChange(withoutView(list), true)}>
						{TEXTS.leave}
					</Button>
				</p>
			)}
			{save.error && (
				<p role="alert" className="text-danger text-sm">
					{errorText(save.error).message}
				</p>
			)}
			<span role="status" className="sr-only">
				{save.isSuccess && !isEdited ? texts.state.saved : ""}
			</span>
			<Suspense>
				{dialog && (
					<ViewDialogs
						dialog={dialog}
						list={list}
						shown={shown}
						onChange={onChange}
						onClose={() => setDialog(undefined)}
					/>
				)}
			</Suspense>
		</div>
	);
}

function isMissing(error: Error): boolean {
	return "status" in error && error.status === 404;
}
