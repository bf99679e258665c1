import ArrowRightLeft from "lucide-react/icons/arrow-right-left";
import DatabaseZap from "lucide-react/icons/database";
import Download from "lucide-react/icons/download";
import MoreHorizontal from "lucide-react/icons/ellipsis";
import ListChecks from "lucide-react/icons/list-checks";
import MessageSquare from "lucide-react/icons/message-square-plus";
import Trash from "lucide-react/icons/trash-2";
import { type ReactNode, Suspense, useState } from "react";
import { useMayAddFrom, useMayIn } from "../lib/project-role.ts";
import { selectingTexts as TEXTS } from "../texts/selecting-en.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../ui/menu.tsx";
import { downloadAddress } from "./queries.ts";
import type { Selected } from "./selection.ts";

const AddDialog = lazyPart(() => import("./add-dialog.tsx"), "AddDialog", { isOver: true });
const AnnotateDialog = lazyPart(() => import("./annotate-dialog.tsx"), "AnnotateDialog", { isOver: true });
const DeleteDialog = lazyPart(() => import("./delete-dialog.tsx"), "DeleteDialog", { isOver: true });
const MoveDialog = lazyPart(() => import("./move-dialog.tsx"), "MoveDialog", { isOver: true });
const ReviewDialog = lazyPart(() => import("./review-dialog.tsx"), "ReviewDialog", { isOver: true });

type Dialog = "dataset" | "annotate" | "review" | "move" | "delete";

const DIALOGS = {
	dataset: AddDialog,
	annotate: AnnotateDialog,
	review: ReviewDialog,
	move: MoveDialog,
	delete: DeleteDialog,
};
const ICONS: Readonly<Record<Dialog, ReactNode>> = {
	dataset: <DatabaseZap size={14} aria-hidden />,
	annotate: <MessageSquare size={14} aria-hidden />,
	review: <ListChecks size={14} aria-hidden />,
	move: <ArrowRightLeft size={14} aria-hidden />,
	delete: <Trash size={14} aria-hidden />,
};
const OF_KIND: Readonly<Record<Selected["kind"], readonly Dialog[]>> = {
	trace: ["dataset", "annotate", "review", "move", "delete"],
	span: ["dataset", "annotate", "review", "delete"],
	session: ["annotate", "review", "delete"],
};
/** The least role in the project. */
const ROLES = { annotate: "annotator", review: "annotator", move: "editor", delete: "editor" } as const;
const FORMATS = ["otlp", "ndjson", "csv"] as const;

export interface ActionsProps {
	readonly selected: Selected;
	/** Undefined until it is known. */
	readonly count: number | undefined;
	/** A run was started. */
	readonly onStarted: (action: Dialog) => void;
}

/** A button for each action on the selection. */
export function ActionButtons({ selected, count, onStarted }: ActionsProps): ReactNode {
	const [open, setOpen] = useState<Dialog>();
	const actions = useActions(selected);
	return (
		<>
			{actions.map((action) => (
				<Button key={action} look={action === "delete" ? "danger" : "plain"} onClick={() => setOpen(action)}>
					{ICONS[action]}
					{TEXTS.action[action]}
				</Button>
			))}
			<Menu
				align="end"
				side="top"
				trigger={
					<Button>
						<Download size={14} aria-hidden />
						{TEXTS.action.download}
					</Button>
				}
			>
				<Downloads selected={selected} />
			</Menu>
			<OpenDialog {...{ open, selected, count, onStarted }} onClose={() => setOpen(undefined)} />
		</>
	);
}

/** The actions on one trace, in a menu, below `children`. */
export function ActionMenu({
	selected,
	onStarted,
	children,
}: Omit<ActionsProps, "count"> & { children?: ReactNode }): ReactNode {
	const [open, setOpen] = useState<Dialog>();
	const actions = useActions(selected);
	return (
		<>
			<Menu
				align="end"
				trigger={
					<IconButton label={TEXTS.action.more}>
						<MoreHorizontal size={16} aria-hidden />
					</IconButton>
				}
			>
				{children}
				{actions.length > 0 && (
					<>
						{actions.map((action) => (
							<MenuItem key={action} icon={ICONS[action]} danger={action === "delete"} onClick={() => setOpen(action)}>
								{TEXTS.action[action]}
							</MenuItem>
						))}
						<MenuSeparator />
					</>
				)}
				<MenuLabel>{TEXTS.action.download}</MenuLabel>
				<Downloads selected={selected} />
			</Menu>
			<OpenDialog {...{ open, selected, onStarted }} count={1} onClose={() => setOpen(undefined)} />
		</>
	);
}

/** The actions that the user may carry out. */
function useActions({ project, kind }: Selected): readonly Dialog[] {
	const mayIn = useMayIn(project);
	const mayAdd = useMayAddFrom(project);
	return OF_KIND[kind].filter((action) => (action === "dataset" ? mayAdd : mayIn(ROLES[action])));
}

function Downloads({ selected }: { selected: Selected }): ReactNode {
	return FORMATS.map((format) => (
		<MenuItem
			key={format}
			icon={<Download size={14} aria-hidden />}
			render={<a href={downloadAddress(selected, format)} download />}
		>
			{TEXTS.format[format]}
		</MenuItem>
	));
}

function OpenDialog({
	open,
	selected,
	count,
	onStarted,
	onClose,
}: ActionsProps & { open: Dialog | undefined; onClose: () => void }): ReactNode {
	if (open === undefined) return null;
	const Shown = DIALOGS[open];
	return (
		<Suspense>
			<Shown
				selected={selected}
				count={count}
				onClose={onClose}
				onStarted={() => {
					onClose();
					onStarted(open);
				}}
			/>
		</Suspense>
	);
}
