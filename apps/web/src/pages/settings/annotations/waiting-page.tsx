import type { ReactNode } from "react";
import { texts } from "../../../texts/en.ts";
import { SectionPage } from "../section-page.tsx";

export function WaitingPage(): ReactNode {
	return <SectionPage title={texts.settings.waitingAnnotations}>{null}</SectionPage>;
}
