import { type ReactNode, Suspense, useSyncExternalStore } from "react";
import { sessionEnd } from "../auth/session-end.ts";
import { useMe } from "../lib/me.ts";
import { lazyPart } from "../ui/lazy-part.tsx";

const SessionEndedDialog = lazyPart(() => import("./session-ended-dialog.tsx"), "SessionEndedDialog", { isOver: true });

/** Asks for a new log-in when the session has ended and leaving the page would lose what was typed. */
export function SessionWatch(): ReactNode {
	const isWaiting = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isWaiting);
	const me = useMe();
	return <Suspense>{isWaiting && <SessionEndedDialog me={me} />}</Suspense>;
}
