import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, Suspense, useState } from "react";
import { useMe } from "../lib/me.ts";
import { projectSlug } from "../lib/project-slug.ts";
import { projectQuery } from "../lib/projects.ts";
import { homesTexts as TEXTS } from "../texts/homes-en.ts";
import { Button } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { RestrictedLock } from "../ui/restricted-lock.tsx";
import type { Moved } from "./move-home-dialog.tsx";
import { homeAccessQuery } from "./queries.ts";
import { useMayChange } from "./use-may-change.ts";

const MoveHomeDialog = lazyPart(() => import("./move-home-dialog.tsx"), "MoveHomeDialog", { isOver: true });

/** Says where a dataset or prompt lives, and lets those move it who may. */
export function LivesIn({ moved }: { moved: Moved }): ReactNode {
	const { projectId } = moved;
	const [isMoving, setMoving] = useState(false);
	const project = useQuery({ ...projectQuery(projectId ?? ""), enabled: projectId !== undefined });
	// While authentication is off, nothing is restricted.
	const isAuthOn = useMe() !== undefined;
	const access = useQuery({ ...homeAccessQuery(projectId), enabled: isAuthOn });
	const mayMove = useMayChange({ project_id: projectId });
	return (
		<span className="flex min-w-0 items-center gap-1 text-muted text-sm">
			<span className="shrink-0">{TEXTS.livesIn}</span>
			<RestrictedLock access={access.data?.access} />
			{projectId === undefined ? (
				<span className="truncate text-ink">{TEXTS.library}</span>
			) : (
				<Link
					to="/p/$project/traces"
					params={{ project: project.data ? projectSlug(project.data) : projectId }}
					className="truncate text-ink hover:text-accent hover:underline"
				>
					{project.data?.name ?? projectId}
				</Link>
			)}
			{mayMove && (
				<Button look="quiet" onClick={() => setMoving(true)} aria-label={TEXTS.moveTitle(moved.name)}>
					{TEXTS.move}
				</Button>
			)}
			<Suspense>{isMoving && <MoveHomeDialog moved={moved} onClose={() => setMoving(false)} />}</Suspense>
		</span>
	);
}
