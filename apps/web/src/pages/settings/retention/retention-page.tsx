import type { ReactNode } from "react";
import { texts } from "../../../texts/en.ts";
import { SectionPage } from "../section-page.tsx";

export function RetentionPage(): ReactNode {
	return <SectionPage title={texts.settings.retention}>{null}</SectionPage>;
}
