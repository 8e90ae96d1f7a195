package dev.sluice.engine;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.sluice.connector.api.Position;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** The layering of docs/internals/modules-and-packages.md, over every module. */
@AnalyzeClasses(
    packages = "dev.sluice",
    importOptions = {
      ImportOption.DoNotIncludeTests.class,
      ArchitectureTest.DoNotIncludeJarsOfTests.class
    })
class ArchitectureTest {

  /** The connector of a source: what is below {@code connectors}, except what all of them share. */
  private static final DescribedPredicate<JavaClass> A_CONNECTOR =
      resideInAPackage("dev.sluice.connector..")
          .and(
              resideOutsideOfPackages(
                  "dev.sluice.connector.api..",
                  "dev.sluice.connector.journal..",
                  "dev.sluice.connector.envelope..",
                  "dev.sluice.connector.comparison.."))
          .as("are a source's connector");

  /** All others compare positions, and never compute with them. */
  @ArchTest
  static final ArchRule ONLY_A_SOURCE_KNOWS_WHAT_A_POSITION_IS =
      noClasses()
          .that()
          .resideOutsideOfPackages("dev.sluice.connector.api")
          .and(not(A_CONNECTOR))
          .should()
          .accessTargetWhere(
              target(owner(equivalentTo(Position.class)))
                  .and(target(name("high").or(name("low")))));

  /** They are given the time, by a clock that never goes back. */
  @ArchTest
  static final ArchRule WINDOWS_ASK_NO_CLOCK =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.sluice.sink.window..", "dev.sluice.sink.sorter..", "dev.sluice.sink.intake..")
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(Clock.class, "instant");

  /** But for what measures stages, and for a wait for Kafka that has an end. */
  @ArchTest
  static final ArchRule WINDOWS_MEASURE_NO_TIME =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.sluice.sink.window..", "dev.sluice.sink.sorter..", "dev.sluice.sink.intake..")
          .and(not(simpleNameIn("StageTimes", "SchemaTopic")))
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  /**
   * Whoever tries again or waits for something uses {@code config.retry}. These have loops of their
   * own; no further class may.
   */
  @ArchTest
  static final ArchRule LOOPS_THAT_SLEEP_STAND_IN_FEW_CLASSES =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.sluice.config.retry..",
              "dev.sluice.demo..",
              "dev.sluice.embedded..",
              "dev.sluice.bench..")
          .and(
              not(
                  simpleNameIn(
                      "AfterCutover",
                      "AlikeSnapshots",
                      "ContinuousValidation",
                      "CutoverReadiness",
                      "ImportCommand",
                      "LoadThrottle",
                      "LockAttempts",
                      "LockHolders",
                      "LogReader",
                      "NeededTables",
                      "OnlyPass",
                      "PeriodicTask",
                      "PostgresCapture",
                      "PreparedWait",
                      "QuietPeriod",
                      "SlotTimeSearch",
                      "StatusWatch",
                      "TableCatchUp",
                      "WaitCommand",
                      "WaitersWatch",
                      "WriterLocks")))
          .should()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethod(TimeUnit.class, "sleep", long.class)
          .orShould()
          .callMethod(LockSupport.class, "parkNanos", long.class);

  private static DescribedPredicate<JavaClass> simpleNameIn(String... names) {
    Set<String> known = Set.of(names);
    return DescribedPredicate.describe(
        "are " + String.join(", ", names), javaClass -> known.contains(javaClass.getSimpleName()));
  }

  @ArchTest
  static final ArchRule CONFIG_IMPORTS_NOTHING_OF_OURS =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice.config..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.sluice.connector..",
              "dev.sluice.sink..",
              "dev.sluice.engine..",
              "dev.sluice.embedded..");

  @ArchTest
  static final ArchRule EMBEDDED_IMPORTS_NOTHING_OF_OURS =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice.embedded..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.sluice.config..",
              "dev.sluice.connector..",
              "dev.sluice.sink..",
              "dev.sluice.engine..");

  @ArchTest
  static final ArchRule THE_EVENT_CONTRACT_IMPORTS_ONLY_CONFIG =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice.connector.api..")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                      "dev.sluice.sink..", "dev.sluice.engine..", "dev.sluice.embedded..")
                  .or(A_CONNECTOR));

  @ArchTest
  static final ArchRule CONNECTORS_DO_NOT_SEE_THE_SINK =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice.connector..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.sluice.sink..",
              "dev.sluice.target..",
              "dev.sluice.load..",
              "dev.sluice.connect..",
              "dev.sluice.engine..",
              "dev.sluice.embedded..");

  @ArchTest
  static final ArchRule THE_SINK_DOES_NOT_SEE_THE_SOURCES =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.sluice.sink..",
              "dev.sluice.target..",
              "dev.sluice.load..",
              "dev.sluice.connect..")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                      "dev.sluice.connector.journal..",
                      "dev.sluice.engine..",
                      "dev.sluice.embedded..",
                      "io.debezium..")
                  .or(A_CONNECTOR));

  /** All others know the source port only. */
  @ArchTest
  static final ArchRule THE_DAEMON_NAMES_NO_SOURCE_DATABASE =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice.engine..")
          .and()
          .doNotHaveFullyQualifiedName("dev.sluice.engine.context.PostgresTargetCatalog")
          .should()
          .dependOnClassesThat(A_CONNECTOR);

  /** It says what a source does, not how a database does it. */
  @ArchTest
  static final ArchRule THE_SOURCE_PORT_KNOWS_NO_DATABASE =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice.connector.api..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "org.postgresql..");

  @ArchTest
  static final ArchRule DEBEZIUM_STAYS_IN_THE_CONNECTORS =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice..")
          .and(not(A_CONNECTOR))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.debezium..");

  @ArchTest
  static final ArchRule CONNECT_STAYS_AT_THE_EDGES =
      noClasses()
          .that()
          .resideOutsideOfPackages("dev.sluice.connector.envelope..", "dev.sluice.connect..")
          .and(not(A_CONNECTOR))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka.connect..");

  @ArchTest
  static final ArchRule REFLECTION_STAYS_IN_ONE_PACKAGE =
      noClasses()
          .that()
          .resideOutsideOfPackages("dev.sluice.config.internals..", "dev.sluice.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.lang.reflect..", "java.lang.invoke..")
          .orShould()
          .callMethodWhere(
              target(owner(equivalentTo(Class.class)))
                  .and(target(nameMatching("forName|getDeclared.+"))));

  /** So that it is known what another version of the library may break. */
  @ArchTest
  static final ArchRule INTERNALS_OF_A_LIBRARY_ARE_USED_IN_ONE_CLASS =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.sluice.config.internals..")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("dev.sluice.config.internals.Library");

  @ArchTest
  static final ArchRule SQL_STAYS_WHERE_DATABASES_ARE =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.sluice.sink.target..",
              "dev.sluice.target..",
              "dev.sluice.sink.apply..",
              "dev.sluice.sink.control..",
              "dev.sluice.load..",
              "dev.sluice.connector.comparison..",
              "dev.sluice.config.internals..",
              "dev.sluice.config.net..",
              "dev.sluice.engine.check..",
              "dev.sluice.engine.cutover.hook.pgbouncer..",
              "dev.sluice.engine.load..",
              "dev.sluice.engine.validate..",
              "dev.sluice.demo..",
              "dev.sluice.embedded..",
              "dev.sluice.bench..")
          .and(not(A_CONNECTOR))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "org.postgresql..");

  @ArchTest
  static final ArchRule THE_TARGETS_DRIVER_STAYS_IN_ITS_DIALECT =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.sluice.sink..",
              "dev.sluice.target..",
              "dev.sluice.load..",
              "dev.sluice.connect..")
          .and()
          .resideOutsideOfPackages(
              "dev.sluice.sink.target.postgres..", "dev.sluice.load.postgres..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.postgresql..");

  @ArchTest
  static final ArchRule NEUTRAL_PACKAGES_DO_NOT_KNOW_A_DIALECT =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.sluice.sink.target.postgres..",
              "dev.sluice.sink.target.kind..",
              "dev.sluice.target.yugabytedb..",
              "dev.sluice.load.postgres..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.sluice.sink.target.postgres..");

  @ArchTest
  static final ArchRule ONLY_ONE_PLACE_CHOOSES_A_DIALECT =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.sluice.sink.target.postgres..",
              "dev.sluice.sink.target.kind..",
              "dev.sluice.target.yugabytedb..")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("dev.sluice.sink.target.postgres.PostgresDialect");

  /** Its driver is part of neither the sink nor the Connect plugin. */
  @ArchTest
  static final ArchRule NO_CLASS_NAMES_A_TARGET_OF_ANOTHER_MODULE =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.sluice.target..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.sluice.target..");

  /** The class path declares it, and all others know its port. */
  @ArchTest
  static final ArchRule NO_CLASS_NAMES_HOW_A_DATABASE_IS_LOADED =
      noClasses()
          .that()
          .resideOutsideOfPackages("dev.sluice.load.postgres..", "dev.sluice.target.yugabytedb..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.sluice.load.postgres..");

  @ArchTest
  static final ArchRule THE_CLUSTER_INTERNALS_STAY_IN_ONE_CLASS =
      classes()
          .that()
          .resideInAnyPackage("dev.sluice..")
          .and()
          .doNotHaveSimpleName("EmbeddedBroker")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackages(
              "kafka.server..", "org.apache.kafka.raft..", "org.apache.kafka.metadata..");

  @ArchTest
  static final ArchRule THE_VALUES_OF_A_STRUCT_ARE_READ_WITHOUT_ITS_DEFAULTS =
      noClasses()
          .should()
          .callMethod("org.apache.kafka.connect.data.Struct", "get", String.class.getName())
          .orShould()
          .callMethod(
              "org.apache.kafka.connect.data.Struct", "get", "org.apache.kafka.connect.data.Field")
          .because("an explicit NULL in a column with a default comes out of get as the default");

  @ArchTest
  static final ArchRule THE_SINK_KNOWS_NEITHER_FILES_NOR_CONNECT =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice.sink..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.sluice.load..", "dev.sluice.connect..");

  @ArchTest
  static final ArchRule THE_DAEMON_RUNS_WITHOUT_THE_DEMO =
      noClasses()
          .that()
          .resideInAPackage("dev.sluice.engine..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.sluice.demo..",
              "dev.sluice.embedded.postgres..",
              "dev.sluice.embedded.mariadb..",
              "dev.sluice.embedded.derby..");

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().matching("dev.sluice.(**)").should().beFreeOfCycles();

  private static final int MOST_PARAMETERS = 6;

  /**
   * What a constructor or method needs, and belongs together, is a value with a name. A record is
   * such a value.
   */
  @ArchTest
  static final ArchRule NOTHING_HAS_MORE_THAN_SIX_PARAMETERS =
      codeUnits()
          .that()
          .areDeclaredInClassesThat()
          .areNotRecords()
          .and(not(modifier(JavaModifier.SYNTHETIC)))
          .should(haveParametersUpTo(MOST_PARAMETERS));

  private static ArchCondition<JavaCodeUnit> haveParametersUpTo(int most) {
    return new ArchCondition<>("have at most " + most + " parameters") {
      @Override
      public void check(JavaCodeUnit unit, ConditionEvents events) {
        int written = unit.getRawParameterTypes().size() - addedByTheCompiler(unit);
        if (written > most) {
          events.add(
              SimpleConditionEvent.violated(
                  unit, unit.getFullName() + " has " + written + " parameters"));
        }
      }
    };
  }

  /** The constants of an enum get a name and a number, inner classes the object around them. */
  private static int addedByTheCompiler(JavaCodeUnit unit) {
    if (!unit.isConstructor()) {
      return 0;
    }
    return unit.getOwner().isEnum() ? 2 : unit.getOwner().isInnerClass() ? 1 : 0;
  }

  /** In the order of the flow. */
  @ArchTest
  static void stagesOfTheSinkImportOnlyThoseBeforeThem(JavaClasses classes) {
    requireOrder(
        classes,
        "dev.sluice.sink.",
        List.of(
            "target.control",
            "target",
            "target.postgres.control",
            "target.postgres.catalog",
            "target.postgres",
            "target.kind",
            "lane",
            "intake",
            "sorter",
            "replay",
            "control.schema",
            "control.position",
            "control.task",
            "control.fallback",
            "control.report",
            "control.suspension",
            "control.validation",
            "touched",
            "window.policy",
            "window.compaction",
            "window",
            "progress",
            "apply.ddl",
            "apply.plan",
            "apply.round",
            "apply.isolation",
            "apply"));
  }

  /** From what all share to the command line. */
  @ArchTest
  static void partsOfTheDaemonImportOnlyThoseBeforeThem(JavaClasses classes) {
    requireOrder(
        classes,
        "dev.sluice.engine.",
        List.of(
            "progress",
            "logging",
            "status",
            "load.completion",
            "load",
            "context",
            "otlp",
            "page",
            "journal",
            "lane",
            "capture",
            "fallback",
            "check",
            "validate.session",
            "validate",
            "validate.record",
            "validate.verdict",
            "validate.repair",
            "validate.schedule",
            "validate.followed",
            "validate.only",
            "validate.continuous",
            "imports",
            "fullload",
            "resync",
            "replication",
            "cutover.hook.pgbouncer",
            "cutover.hook",
            "readiness",
            "cutover",
            "monitor",
            "daemon",
            "connect",
            "command.display",
            "command"));
  }

  private static void requireOrder(JavaClasses classes, String prefix, List<String> packages) {
    assertThat(packages)
        .as("every package below " + prefix)
        .containsExactlyInAnyOrderElementsOf(packagesBelow(classes, prefix));
    for (int i = 0; i < packages.size() - 1; i++) {
      String[] later =
          packages.subList(i + 1, packages.size()).stream()
              .map(prefix::concat)
              .toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage(prefix + packages.get(i))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(later)
          .check(classes);
    }
  }

  private static Set<String> packagesBelow(JavaClasses classes, String prefix) {
    return classes.stream()
        .map(JavaClass::getPackageName)
        .filter(name -> name.startsWith(prefix))
        .map(name -> name.substring(prefix.length()))
        .collect(Collectors.toSet());
  }

  /** What a module's tests share with others is in a jar of its own. */
  static final class DoNotIncludeJarsOfTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }
}
