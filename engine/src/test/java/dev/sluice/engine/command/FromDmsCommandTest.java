package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.MigrationType;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FromDmsCommandTest {
  private static final String TASK =
      """
      {"ReplicationTasks": [{
        "ReplicationTaskIdentifier": "shop", "MigrationType": "full-load-and-cdc",
        "Status": "stopped",
        "TableMappings": "{\\"rules\\":[{\\"rule-type\\":\\"selection\\",\\"rule-id\\":\\"1\\",\
      \\"rule-name\\":\\"1\\",\\"object-locator\\":{\\"schema-name\\":\\"public\\",\
      \\"table-name\\":\\"%\\"},\\"rule-action\\":\\"include\\"}]}",
        "ReplicationTaskSettings": "{\\"TargetMetadata\\":{\\"LobChunkSize\\":64,\\"SupportLobs\\":true}}"
      }]}
      """;

  @TempDir Path folder;

  private Path answer;
  private Path output;

  @BeforeEach
  void write() throws IOException {
    answer = Files.writeString(folder.resolve("tasks.json"), TASK);
    output = folder.resolve("shop.yaml");
  }

  @Test
  void theNewFileIsATaskFileAndTheNotesGoToTheStandardError() {
    Finished made = sluice("from-dms", answer.toString(), "--output", output.toString());
    assertThat(made.exitCode()).isZero();
    assertThat(made.output()).isEqualToIgnoringNewLines("written: " + output);
    assertThat(made.errors())
        .contains("note: Status stopped — ", "note: passwords — ", "LobChunkSize 64");
    TaskConfig config =
        TaskFile.read(output, Map.of("SOURCE_PASSWORD", "a", "TARGET_PASSWORD", "b"));
    assertThat(config.migrationType()).isEqualTo(MigrationType.FULL_LOAD_AND_CDC);
  }

  @Test
  void withoutAnOutputTheFileAloneGoesToTheStandardOutput() throws IOException {
    Finished printed = sluice("from-dms", answer.toString());
    sluice("from-dms", answer.toString(), "--output", output.toString());
    assertThat(printed.exitCode()).isZero();
    assertThat(printed.output()).isEqualTo(Files.readString(output));
  }

  @Test
  void aNameOfATableIsPrintedInUtf8WhateverTheTerminalUses() throws IOException {
    Files.writeString(answer, TASK.replace("public", "öffentlich"));
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.US_ASCII));
      assertThat(CommandLines.run("from-dms", answer.toString())).isZero();
    } finally {
      System.setOut(out);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("schema-name: \"öffentlich\"");
  }

  @Test
  void aFileThatIsThereIsNeverOverwritten() throws IOException {
    Files.writeString(output, "mine");
    Finished refused = sluice("from-dms", answer.toString(), "--output", output.toString());
    assertThat(refused.exitCode()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(refused.errors()).contains("the file exists already");
    assertThat(output).hasContent("mine");
  }

  @Test
  void badInputIsRefusedWithEveryProblemAndNothingIsWritten() throws IOException {
    Files.writeString(answer, TASK.replace("full-load-and-cdc", "all").replace("64", "64,,"));
    Finished refused = sluice("from-dms", answer.toString(), "--output", output.toString());
    assertThat(refused.exitCode()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(refused.errors()).contains("2 problems", "MigrationType", "Settings of shop:1:");
    assertThat(output).doesNotExist();
  }

  @Test
  void aValueThatCheckWillRefuseIsKeptAndReportedWithItsPlaceInTheNewFile() throws IOException {
    Files.writeString(answer, TASK.replace("SupportLobs\\\":true", "SupportLobs\\\":false"));
    Finished made = sluice("from-dms", answer.toString(), "--output", output.toString());
    assertThat(made.exitCode()).isEqualTo(ExitCode.NOT_COVERED);
    assertThat(made.errors()).contains("sluice check will refuse", output + ":", "SupportLobs");
    assertThat(output).content().contains("SupportLobs: false");
    assertThat(sluice("check", output.toString()).exitCode()).isEqualTo(ExitCode.BAD_INPUT);
  }

  @Test
  void aFolderThatIsNotThereIsAProblem() {
    Finished refused =
        sluice("from-dms", answer.toString(), "--output", folder.resolve("no/t.yaml").toString());
    assertThat(refused.exitCode()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(refused.errors()).contains("cannot be written");
  }

  private static Finished sluice(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
      // Evaluated from left to right: the texts after the command.
      return new Finished(
          CommandLines.run(arguments),
          output.toString(StandardCharsets.UTF_8),
          errors.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private record Finished(int exitCode, String output, String errors) {}
}
