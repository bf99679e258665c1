import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageTitle } from "../../lib/page-title.ts";
import { sessionsTexts } from "../../texts/sessions-en.ts";
import { SessionView } from "./session-view.tsx";

const route = getRouteApi("/p/$project/sessions/$session");

/** A session on its own page. */
export function SessionPage(): ReactNode {
	const { project, session } = route.useParams();
	usePageTitle(session, sessionsTexts.title);
	return <SessionView project={project} session={session} />;
}
