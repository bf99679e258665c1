import { beforeAll, expect, test } from "vitest";
import { listPythonTests, type PythonRun } from "./python-clients.ts";

/** A test for each test of these modules of e2e/python; the modules run once, before them. @returns what they ended with */
export function testPythonModules(modules: readonly string[], run: () => Promise<PythonRun>): () => PythonRun {
	let finished: PythonRun | undefined;
	const get = (): PythonRun => {
		if (finished === undefined) throw new Error("the modules did not run to their end");
		return finished;
	};
	beforeAll(async () => {
		finished = await run();
	});
	for (const module of modules) {
		test.each(listPythonTests(module))(`${module}: %s`, (name) => {
			const { errors } = get();
			expect(errors.has(`${module}.${name}`), "the module did not run to its end").toBe(true);
			expect(errors.get(`${module}.${name}`) ?? "").toBe("");
		});
	}
	return get;
}
