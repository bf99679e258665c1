import type { View } from "@spanward/client";
import { useCan, useMe } from "../lib/me.ts";
import { useMayIn } from "../lib/project-role.ts";
import { viewsTexts } from "./views-en.ts";

export interface ViewRights {
	readonly maySave: boolean;
	/** Why views cannot be saved. */
	readonly whyNot: string | undefined;
	/** Whether there are private views. */
	readonly hasPrivate: boolean;
	readonly mayDelete: (view: View) => boolean;
	readonly mayHide: (view: View) => boolean;
	readonly mayChooseDefault: boolean;
}

/** What the user may do with views in a project, to hide what would be refused. */
export function useViewRights(project: string): ViewRights {
	const me = useMe();
	const can = useCan();
	const maySave = useMayIn(project)("editor");
	const isOwn = (view: View) => me !== undefined && view.owner_id === me.id;
	const { viewer, role } = viewsTexts.whyNot;
	return {
		maySave,
		whyNot: maySave ? undefined : can("write") ? role : viewer,
		hasPrivate: me !== undefined,
		mayDelete: (view) => maySave && (isOwn(view) || can("admin")),
		mayHide: isOwn,
		mayChooseDefault: can("admin"),
	};
}
