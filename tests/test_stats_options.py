"""What a user may set: the shipped configuration, and values that cannot be meant."""

from dataclasses import asdict, fields

import numpy as np
import pytest
import yaml

from bias_lab.errors import ConfigError
from bias_lab.paths import conf_dir
from bias_lab.stats import BetaRegression, analyse, fit_beta
from stats_tables import FACTORS, corpus, treatment


def test_the_shipped_configuration_lists_every_option_at_its_default() -> None:
    shipped = yaml.safe_load((conf_dir() / "stats" / "beta.yaml").read_text(encoding="utf-8"))
    assert shipped.pop("_target_") == "bias_lab.stats.BetaRegression"
    assert shipped == asdict(BetaRegression())


FAULTS = {
    "level": (1.2, "stats.level: got 1.2; a number between 0 and 1 (such as 0.95) is needed"),
    "power": (80, "stats.power: got 80; a number between 0 and 1 (such as 0.8) is needed"),
    "permutations": (-1, "stats.permutations: got -1; a whole number (such as 2000) is needed, 0 for none"),
    "seed": ("zero", "stats.seed: got 'zero'; a whole number from 0 is needed"),
    "smallest_effect": (
        0,
        "stats.smallest_effect: got 0; a difference of scores between 0 and 1 (such as 0.01) is needed, "
        "or null for no test",
    ),
    "precision": ("group", "stats.precision: got 'group'; allowed: constant, by_group"),
}


@pytest.mark.parametrize(("key", "value", "message"), [(key, *fault) for key, fault in FAULTS.items()], ids=FAULTS)
def test_values_that_cannot_be_meant(key: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        BetaRegression(**{key: value})
    assert str(error.value) == message


@pytest.mark.parametrize("key", [field.name for field in fields(BetaRegression)])
def test_truth_values_are_no_option(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"^stats\.{key}: got True; "):
        BetaRegression(**{key: True})


def test_precision_by_group_is_betamodels() -> None:
    from statsmodels.othermod.betareg import BetaModel

    long = corpus()
    table = treatment(analyse(long, FACTORS, precision="by_group", permutations=0))
    race, gender = long["race"] != "European", long["gender"] == "female"
    x = np.column_stack([np.ones(96), race, gender, race & gender]).astype(float)
    start = np.append(table["coefficient"] + 0.01, [3.0, 0, 0, 0])
    theirs = BetaModel(long["prediction"].to_numpy(), x, exog_precision=x).fit(
        start_params=start, method="newton", disp=False
    )
    np.testing.assert_allclose(table["coefficient"], theirs.params[:4], atol=1e-6)
    np.testing.assert_allclose(table["std_error_iid"], theirs.bse[:4], rtol=1e-5)
    assert table["log_likelihood"].iloc[0] == pytest.approx(theirs.llf, abs=1e-6)
    by_cell = np.log(table["phi"].iloc[0])
    assert by_cell == pytest.approx(
        np.mean([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]] @ theirs.params[4:])
    )


def test_precision_by_group_with_a_design_of_your_own() -> None:
    long = corpus()
    race = (long["race"] != "European").to_numpy(dtype=float)
    x = np.column_stack([np.ones(96), race])
    fit = fit_beta(long["prediction"], x, x)
    apart = [fit_beta(long["prediction"][race == r], np.ones((48, 1))) for r in (0, 1)]
    assert fit.precision_params == pytest.approx([apart[0].log_phi, apart[1].log_phi - apart[0].log_phi], rel=1e-6)
    assert fit.df_resid == 92
    assert fit.loglik == pytest.approx(apart[0].loglik + apart[1].loglik)


def test_a_group_without_spread_has_no_precision() -> None:
    long = corpus()
    long.loc[(long["race"] == "European") & (long["gender"] == "male"), "prediction"] = 0.4
    assert analyse(long, FACTORS, permutations=0)["status"].tolist() == ["invariant"] + ["ok"] * 7
    table = analyse(long, FACTORS, precision="by_group")
    assert table["status"].eq("degenerate").all()
    assert table["message"].unique().tolist() == [
        "scores of a group do not vary (by less than 1e-06): it has no precision"
    ]


def test_a_million_rows_do_not_need_betamodel(monkeypatch: pytest.MonkeyPatch) -> None:
    from bias_lab.stats import beta

    y, x = corpus()["prediction"], np.ones((96, 1))
    plain = fit_beta(y, x)
    monkeypatch.setattr(beta, "_BETA_MODEL_UP_TO", 95)
    direct = fit_beta(y, x)
    assert (plain.path, direct.path) == (("newton", "exact"), ("exact",))
    np.testing.assert_allclose(direct.params, plain.params, rtol=1e-12)
