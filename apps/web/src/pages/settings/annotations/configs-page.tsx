import type { ReactNode } from "react";
import { texts } from "../../../texts/en.ts";
import { SectionPage } from "../section-page.tsx";

export function AnnotationConfigsPage(): ReactNode {
	return <SectionPage title={texts.settings.annotationConfigs}>{null}</SectionPage>;
}
