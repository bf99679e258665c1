import { ApiError, type Dashboard } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
// biome-ignore lint/suspicious/noDeprecatedImports: only another overload of it is deprecated
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { isWords } from "../../../filtering/list-condition.ts";
import { useIsPhone } from "../../../lib/media.ts";
import { useShortcuts } from "../../../lib/shortcuts.tsx";
import { dashboardTexts as TEXTS } from "../../../texts/dashboards-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import type { Change, Search } from "../controls.tsx";
import { Grid } from "../grid.tsx";
import { dashboardLink } from "../links.ts";
import { createDashboard, dashboardQuery, type ReadDashboard, saveDashboard, toBody } from "../queries.ts";
import { WidgetCard } from "../widget-card.tsx";
import { chartOf, type Widget } from "../widget-question.ts";
import { AddWidget } from "./add-widget.tsx";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { EditableGrid } from "./editable-grid.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";
import { newKey, withWidget } from "./widget-draft.ts";
import { WidgetEditor } from "./widget-editor.tsx";

export interface EditDashboardProps {
	readonly draft: Dashboard;
	readonly onDraft: (draft: Dashboard) => void;
	/** What was read when the editing began, by which it is noticed that somebody else saved. */
	readonly saved: ReadDashboard;
	readonly project: string | undefined;
	readonly search: Search;
	readonly change: Change;
	/** Saved, or given up. */
	readonly onEnd: () => void;
}

type Open = "add" | "settings" | undefined;

/** Changes a dashboard; nothing is saved before Save. */
export function EditDashboard({
	draft,
	onDraft,
	saved: savedNow,
	project,
	search,
	change,
	onEnd,
}: EditDashboardProps): ReactNode {
	// What is read anew meanwhile is not what was edited.
	const [saved] = useState(savedNow);
	const [open, setOpen] = useState<Open>();
	const [edited, setEdited] = useState<string>();
	const isPhone = useIsPhone();
	const isChanged = useMemo(() => JSON.stringify(draft) !== JSON.stringify(saved.dashboard), [draft, saved]);
	// Known before the page is drawn again.
	const isOver = useRef(false);
	const { save, copy, reload } = useSaving({
		...{ draft, saved, project },
		onEnd: () => {
			isOver.current = true;
			onEnd();
		},
	});
	const blocker = useBlocker({
		shouldBlockFn: ({ current, next }) => isChanged && !isOver.current && current.pathname !== next.pathname,
		enableBeforeUnload: () => isChanged && !isOver.current,
		withResolver: true,
	});
	useShortcuts({
		title: TEXTS.layout.keys,
		shortcuts: [{ keys: ["m"], label: TEXTS.layout.move, run: () => false }],
	});
	const put = (widgets: readonly Widget[]) => onDraft({ ...draft, widgets: [...widgets] });
	const { widgets } = draft;
	const changes = {
		edit: setEdited,
		duplicate: (key: string) => {
			const widget = widgets.find((each) => each.key === key);
			if (widget) put(withWidget(widgets, { ...widget, ...sizeOf(widget) }, newKey()));
		},
		remove: (key: string) => put(widgets.filter((each) => each.key !== key)),
	};
	const card = (widget: Widget) => (
		<WidgetCard
			{...{ widget, project, changes }}
			chart={chartOf(widget, draft, search, isWords)}
			refresh={false}
			isDraggable={!isPhone}
			onZoom={(from, to) =>
				change((before) => ({ ...before, from: new Date(from).toISOString(), to: new Date(to).toISOString() }))
			}
		/>
	);
	const inEditor = widgets.find(({ key }) => key === edited);
	const conflict = save.error instanceof ApiError && save.error.status === 412 ? save.error : undefined;
	return (
		<section aria-label={TEXTS.editing} className="flex flex-col gap-3">
			<div className="sticky -top-4 z-20 flex flex-wrap items-center gap-2 border-line border-b bg-surface py-2">
				<Button onClick={() => setOpen("add")}>{TEXTS.addWidget}</Button>
				<Button onClick={() => setOpen("settings")}>{TEXTS.settings}</Button>
				<span className="ml-auto flex gap-2">
					<Button onClick={onEnd}>{TEXTS.cancel}</Button>
					<Button look="primary" disabled={save.isPending || !isChanged} onClick={() => save.mutate()}>
						{save.isPending ? TEXTS.saving : TEXTS.save}
					</Button>
				</span>
			</div>
			<p className="text-muted text-sm">{isPhone ? TEXTS.layout.phone : TEXTS.layout.hint}</p>
			{conflict === undefined && <FormError error={save.error} />}
			{widgets.length === 0 ? (
				<EmptyState
					title={TEXTS.empty}
					text={TEXTS.emptyText}
					actions={<Button onClick={() => setOpen("add")}>{TEXTS.addWidget}</Button>}
				/>
			) : isPhone ? (
				<Grid widgets={widgets} render={card} />
			) : (
				<EditableGrid widgets={widgets} onChange={put} render={card} />
			)}
			{open === "add" && (
				<AddWidget
					onAdd={(added, isUnfinished) => {
						const key = newKey();
						put(withWidget(widgets, added, key));
						setOpen(undefined);
						if (isUnfinished) setEdited(key);
					}}
					onClose={() => setOpen(undefined)}
				/>
			)}
			{open === "settings" && (
				<SettingsDialog
					dashboard={draft}
					onChange={(settings) => {
						onDraft({ ...draft, ...settings });
						setOpen(undefined);
					}}
					onClose={() => setOpen(undefined)}
				/>
			)}
			{inEditor && (
				<WidgetEditor
					widget={inEditor}
					dashboard={draft}
					{...{ project, search }}
					onChange={(next) => put(widgets.map((each) => (each.key === next.key ? next : each)))}
					onClose={() => setEdited(undefined)}
				/>
			)}
			{conflict && (
				<ConflictDialog
					conflict={conflict}
					error={copy.error}
					isPending={copy.isPending}
					onCopy={() => copy.mutate()}
					onReload={reload}
					onClose={() => save.reset()}
				/>
			)}
			{blocker.status === "blocked" && (
				<Dialog open onOpenChange={blocker.reset} title={TEXTS.leave.title}>
					<div className="flex flex-col gap-3 p-4">
						<p>{TEXTS.leave.text}</p>
						<div className="flex justify-end gap-2">
							<Button onClick={blocker.reset}>{TEXTS.leave.stay}</Button>
							<Button look="danger" onClick={blocker.proceed}>
								{TEXTS.leave.leave}
							</Button>
						</div>
					</div>
				</Dialog>
			)}
		</section>
	);
}

function sizeOf({ layout: { w, h } }: Widget) {
	return { w, h };
}

function useSaving({
	draft,
	saved,
	project,
	onEnd,
}: Pick<EditDashboardProps, "draft" | "saved" | "project" | "onEnd">) {
	const client = useQueryClient();
	const navigate = useNavigate();
	const { queryKey } = dashboardQuery(draft.id, project);
	const forgetLists = () => client.invalidateQueries({ queryKey: ["dashboards"] });
	const save = useMutation({
		mutationFn: () => saveDashboard(draft, saved.etag),
		onSuccess: async (read) => {
			client.setQueryData(queryKey, read);
			onEnd();
			await forgetLists();
		},
	});
	const copy = useMutation({
		mutationFn: () => createDashboard({ ...toBody(draft), name: TEXTS.copyOf(draft.name).slice(0, 200) }),
		onSuccess: async ({ id }) => {
			onEnd();
			await forgetLists();
			await navigate(dashboardLink(id, project));
		},
	});
	const reload = () => {
		onEnd();
		void client.invalidateQueries({ queryKey });
	};
	return { save, copy, reload };
}
