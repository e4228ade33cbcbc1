"""Compiles a Java artefact and runs it."""

from __future__ import annotations

from treecli.exporters import Options
from treecli.exporters.java import METHOD, Java
from treecli.predict.program import Program
from treecli.verifiers import Answer, Row
from treecli.verifiers._exchange import SHORT_LIVED, answers_in, run, tool, workshop

_HARNESS = """
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

class Harness {
    static Object read(String cell) {
        if (cell.equals("-")) return null;
        if (cell.charAt(0) == 'n') return Double.longBitsToDouble(Long.parseUnsignedLong(cell.substring(1), 16));
        byte[] data = new byte[cell.length() / 2];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) Integer.parseInt(cell.substring(1 + 2 * i, 3 + 2 * i), 16);
        }
        return new String(data, StandardCharsets.UTF_8);
    }

    static String written(Object answer) {
        if (answer instanceof Map) {
            List<String> cells = new ArrayList<>();
            for (Object part : ((Map<?, ?>) answer).values()) cells.add(written(part));
            return String.join(" ", cells);
        }
        if (answer instanceof Double) return String.format("n%016x", Double.doubleToRawLongBits((Double) answer));
        StringBuilder text = new StringBuilder("s");
        for (byte part : ((String) answer).getBytes(StandardCharsets.UTF_8)) text.append(String.format("%02x", part));
        return text.toString();
    }

    public static void main(String[] arguments) throws Exception {
        List<String> columns = new ArrayList<>();
        for (String name : Files.readAllLines(Paths.get("columns.txt"))) columns.add((String) read(name));
        PrintStream out = new PrintStream(System.out, false, "US-ASCII");
        for (String line : Files.readAllLines(Paths.get("rows.txt"))) {
            String[] cells = line.split(" ");
            Map<String, Object> row = new HashMap<>();
            for (int place = 0; place < columns.size(); place++) row.put(columns.get(place), read(cells[place]));
            try {
                out.print(written(@NAME@.@METHOD@(row)) + "\\n");
            } catch (IllegalArgumentException error) {
                out.print("!\\n");
            }
        }
        out.flush();
    }
}
"""


def answers(text: str, program: Program, options: Options, rows: list[Row]) -> list[Answer]:
    """Return the method's answer for every row."""
    compiler = tool(["javac"], "a Java compiler", "default-jdk-headless")
    machine = tool(["java"], "Java", "default-jre-headless")
    name = options.name or Java.DEFAULT_NAME
    harness = _HARNESS.replace("@NAME@", name).replace("@METHOD@", METHOD)
    with workshop({f"{name}.java": text, "Harness.java": harness}, program, rows) as folder:
        settings = [f"-J{setting}" for setting in SHORT_LIVED]
        run([compiler, *settings, "-proc:none", "-encoding", "UTF-8", f"{name}.java", "Harness.java"], folder)
        return answers_in(run([machine, *SHORT_LIVED, "-cp", ".", "Harness"], folder))
